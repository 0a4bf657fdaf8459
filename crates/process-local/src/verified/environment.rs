//! Which variables a verified program gets: those that make a program load or run other
//! code never.

use std::ffi::{OsStr, OsString};

use cassette_format::process::EffectiveEnvironment;

/// Variables that have the loader, or an interpreter, take in code beside the verified
/// bytes; `*` stands for any rest, and case does not count. A verified program never
/// inherits them, and a launch that sets one is refused.
///
/// The list holds what is commonly abused. It is not complete: a program may read any
/// variable it likes.
pub const REFUSED: [&str; 21] = [
    "LD_*",
    "DYLD_*",
    "GCONV_PATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "BASH_ENV",
    "BASH_FUNC_*",
    "ENV",
    "SHELLOPTS",
    "ZDOTDIR",
    "PYTHON*",
    "PERL5*",
    "PERLLIB",
    "RUBY*",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
];

/// Variables of this process that [`run_verified`](super::run_verified) and its like pass
/// on; `*` stands for any rest. All others are left out.
pub const PASSED_ON: [&str; 16] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "SYSTEMROOT",
    "PATHEXT",
];

/// Whether a verified program must not get the variable.
pub(crate) fn is_refused(name: &OsStr) -> bool {
    REFUSED.iter().any(|pattern| matches(pattern, name))
}

/// The first variable among these that must not be set.
pub(crate) fn refused_override(variables: &EffectiveEnvironment) -> Option<String> {
    let mut names = variables.iter().map(|(name, _)| name);
    let name = names.find(|name| is_refused(name))?;
    Some(name.to_string_lossy().into_owned())
}

/// The variables that are passed on, of these.
pub(super) fn passed_on(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    variables.filter(|(name, _)| PASSED_ON.iter().any(|pattern| matches(pattern, name)))
}

fn matches(pattern: &str, name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    match pattern.strip_suffix('*') {
        Some(start) => name
            .get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes())),
        None => name.eq_ignore_ascii_case(pattern.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_load_code_are_refused_in_every_spelling_and_others_are_not() {
        for name in [
            "LD_PRELOAD",
            "LD_AUDIT",
            "ld_preload",
            "DYLD_INSERT_LIBRARIES",
            "NODE_OPTIONS",
            "Node_Path",
            "BASH_ENV",
            "BASH_FUNC_ls%%",
            "ENV",
            "PYTHONPATH",
            "PERL5OPT",
            "RUBYLIB",
            "LD_",
        ] {
            assert!(is_refused(name.as_ref()), "{name}");
        }
        for name in ["PATH", "LDFLAGS", "ENVIRONMENT", "NODE_OPTIONS_X", "L", ""] {
            assert!(!is_refused(name.as_ref()), "{name}");
        }
    }

    #[test]
    fn no_variable_that_is_passed_on_is_refused() {
        for pattern in PASSED_ON {
            assert!(!is_refused(pattern.as_ref()), "{pattern}");
        }
        let host = ["PATH", "LC_ALL", "LD_PRELOAD", "API_KEY"];
        let host = host.map(|name| (name.into(), OsString::new()));
        let passed: Vec<OsString> = passed_on(host.into_iter()).map(|(name, _)| name).collect();
        assert_eq!(passed, ["PATH", "LC_ALL"]);
    }
}
