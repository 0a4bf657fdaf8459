//! The directories of one side: where it works, where its homes are, and the
//! tokens that stand for them on a tape.

use std::collections::BTreeSet;

use super::HomeTokens;
use super::path_prefix::{
    PathForm, directory, normal, prefix_len, resolved, text_prefix_len, without_trailing_separators,
};
use crate::descriptor::{Descriptor, Spelling};

/// What stands on a tape for a personal directory.
pub const HOME_TOKEN: &str = "${REPLAY_HOME}";

/// Where the directories of a launch are found.
#[derive(Debug, Clone, Copy, Default)]
pub struct RootSources<'a> {
    /// The effective environment, in its order.
    pub variables: &'a [(&'a str, &'a str)],
    /// The working directory of the process.
    pub cwd: Option<&'a str>,
    /// The directory that the protocol speaks of, where it is another.
    pub protocol_cwd: Option<&'a str>,
    /// Further directories that stand for the working directory.
    pub cwd_roots: &'a [String],
    /// Further personal directories.
    pub home_roots: &'a [String],
}

/// The directories of one launch and their tokens.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// In the order in which they are tried.
    entries: Vec<Entry>,
    homes: Vec<String>,
    cwd: Option<String>,
    cwd_token: String,
    /// The directory's name that is made of the working directory, and its token.
    slug: Option<(String, String)>,
    /// The bytes with which a directory may begin, a bit each.
    begin: [u64; 4],
    spellings: BTreeSet<Spelling>,
}

/// One spelling of a directory.
#[derive(Debug, Clone)]
struct Entry {
    root: String,
    token: String,
}

/// A directory that a path names, and what stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found<'r> {
    /// How many bytes of the path name it.
    pub(super) len: usize,
    pub(super) token: &'r str,
}

impl Roots {
    /// The directories of a launch of `descriptor`'s provider.
    ///
    /// Working directory: `protocol_cwd`, else `cwd`, then `cwd_roots`. Homes, in
    /// order: the values of the provider's home variables; of HOME and
    /// USERPROFILE as they come; `/Users/x` or `/home/x` that `cwd` or
    /// `protocol_cwd` lies in; `home_roots`. Blank ones and `/` are left out.
    #[must_use]
    pub fn new(
        descriptor: &Descriptor,
        sources: &RootSources<'_>,
        cwd_token: &str,
        home_tokens: HomeTokens,
    ) -> Self {
        let cwd = filled(sources.protocol_cwd).or_else(|| filled(sources.cwd));
        let homes = homes(descriptor, sources);
        let mut roots = Self {
            entries: Vec::new(),
            cwd: cwd.map(str::to_owned),
            cwd_token: cwd_token.to_owned(),
            slug: cwd
                .filter(|_| descriptor.spellings.contains(&Spelling::CwdSlug))
                .map(|cwd| (cwd_slug(&directory(cwd)), slug_token(cwd_token))),
            homes,
            begin: [0; 4],
            spellings: descriptor.spellings.clone(),
        };
        let cwd_roots = sources.cwd_roots.iter().map(String::as_str);
        for root in cwd
            .into_iter()
            .chain(cwd_roots.filter_map(|root| filled(Some(root))))
        {
            roots.add(root, cwd_token);
        }
        for (at, home) in roots.homes.clone().iter().enumerate() {
            roots.add(home, &home_token(at, home_tokens));
        }
        roots
    }

    /// The personal directories, in order.
    #[must_use]
    pub fn homes(&self) -> &[String] {
        &self.homes
    }

    /// The working directory.
    #[must_use]
    pub fn cwd(&self) -> Option<&str> {
        self.cwd.as_deref()
    }

    /// What stands for the working directory on the tape.
    #[must_use]
    pub fn cwd_token(&self) -> &str {
        &self.cwd_token
    }

    /// Whether the provider has this spelling.
    pub(super) fn spells(&self, spelling: Spelling) -> bool {
        self.spellings.contains(&spelling)
    }

    /// The first directory that `path` is or lies below.
    pub(super) fn find(&self, path: &str) -> Option<Found<'_>> {
        let form = self.form();
        self.entries.iter().find_map(|Entry { root, token }| {
            prefix_len(path, root, form).map(|len| Found { len, token })
        })
    }

    /// Whether a directory may begin with this byte.
    pub(super) fn may_begin_with(&self, byte: u8) -> bool {
        self.begin[usize::from(byte / 64)] >> (byte % 64) & 1 == 1
    }

    /// The first directory that a path in free text is or lies below.
    pub(super) fn find_in_text(&self, path: &str) -> Option<Found<'_>> {
        let form = self.form();
        self.entries.iter().find_map(|Entry { root, token }| {
            text_prefix_len(path, root, form).map(|len| Found { len, token })
        })
    }

    /// The directory's name that is made of the working directory, and its token.
    pub(super) fn cwd_slug(&self) -> Option<(&str, &str)> {
        let (slug, token) = self.slug.as_ref()?;
        Some((slug, token))
    }

    fn form(&self) -> PathForm {
        if self.spells(Spelling::WindowsForms) {
            PathForm::Windows
        } else {
            PathForm::Exact
        }
    }

    fn add(&mut self, root: &str, token: &str) {
        let aliases = if self.spells(Spelling::PrivatePrefix) {
            private_alias(root)
        } else {
            None
        };
        for root in aliases
            .into_iter()
            .chain([root.to_owned()])
            .map(|root| directory(&root))
        {
            let mut begin = root.bytes().next().map_or(Vec::new(), |first| vec![first]);
            if self.spells(Spelling::WindowsForms) {
                begin.extend(begin.first().map(u8::to_ascii_lowercase));
                begin.extend(begin.first().map(u8::to_ascii_uppercase));
                begin.push(b'\\');
            }
            for byte in begin {
                self.begin[usize::from(byte / 64)] |= 1 << (byte % 64);
            }
            if !self.entries.iter().any(|entry| entry.root == root) {
                self.entries.push(Entry {
                    root,
                    token: token.to_owned(),
                });
            }
        }
    }
}

/// The token of the directory's name that is made of the working directory.
pub(super) fn slug_token(cwd_token: &str) -> String {
    match cwd_token.strip_prefix("${SESSION_CWD:") {
        Some(rest) => format!("${{SESSION_CWD_SLUG:{rest}"),
        None => format!("{cwd_token}_SLUG"),
    }
}

/// The name of a project's directory, made of the path that it works in: every UTF-16
/// unit outside `A-Z a-z 0-9` as `-`, since it is a JavaScript program that makes it.
/// Several paths make the same name (`projects/<slug>` of Claude Code and Qwen Code).
///
/// ```
/// use cassette_format::portable::cwd_slug;
///
/// assert_eq!(cwd_slug("/srv/my_app"), "-srv-my-app");
/// ```
#[must_use]
pub fn cwd_slug(path: &str) -> String {
    let alike = |unit| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        _ => '-',
    };
    path.encode_utf16().map(alike).collect()
}

pub(super) fn home_token(at: usize, home_tokens: HomeTokens) -> String {
    match (at, home_tokens) {
        (0, _) | (_, HomeTokens::Shared) => HOME_TOKEN.to_owned(),
        (at, HomeTokens::Numbered) => format!("${{REPLAY_HOME:{}}}", at + 1),
    }
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// `/tmp/x` for `/private/tmp/x`, and the other way round.
fn private_alias(root: &str) -> Option<String> {
    let linked = |path: &str| {
        ["/tmp", "/var", "/etc"]
            .iter()
            .any(|top| prefix_len(path, top, PathForm::Exact).is_some())
    };
    match root.strip_prefix("/private") {
        Some(rest) if linked(rest) => Some(rest.to_owned()),
        _ if linked(root) => Some(format!("/private{root}")),
        _ => None,
    }
}

fn homes(descriptor: &Descriptor, sources: &RootSources<'_>) -> Vec<String> {
    let value_of = |name: &str| {
        let mut named = sources
            .variables
            .iter()
            .filter(|(key, _)| key.eq_ignore_ascii_case(name));
        named.next_back().map(|(_, value)| *value)
    };
    let own = descriptor
        .home_variables
        .iter()
        .filter_map(|name| value_of(name));
    let common = sources.variables.iter().filter(|(key, _)| {
        key.eq_ignore_ascii_case("HOME") || key.eq_ignore_ascii_case("USERPROFILE")
    });
    let common = common.map(|(_, value)| *value);
    let implied = [sources.cwd, sources.protocol_cwd].into_iter().flatten();
    let implied = implied.filter_map(|path| home_above(&normal(path.trim())));
    let given = sources.home_roots.iter().map(String::as_str);
    let said = |home: &str| resolved(home.trim());
    let all = own.chain(common).map(said).chain(implied);
    let mut homes: Vec<String> = Vec::new();
    for home in all.chain(given.map(said)) {
        // Resolved, it may turn out to be the root of the file system.
        let is_named = !without_trailing_separators(&home).is_empty();
        if is_named && !homes.contains(&home) {
            homes.push(home);
        }
    }
    homes
}

/// `/Users/x` or `/home/x` of a path in it, in which nothing is to be resolved.
fn home_above(path: &str) -> Option<String> {
    let below = ["/Users/", "/home/"]
        .iter()
        .find(|top| path.starts_with(**top))?;
    let name = path[below.len()..]
        .split('/')
        .next()
        .filter(|name| !name.is_empty())?;
    Some(path[..below.len() + name.len()].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::{Dialect, MessageFraming, TargetId};
    use crate::schema::ProviderId;

    fn homes_of(cwd: &str, home: &str) -> Vec<String> {
        let descriptor = Descriptor::new(
            ProviderId::from_recorded("made-up"),
            TargetId::named("local:made-up"),
            MessageFraming::Lines,
            Dialect::JsonRpc,
        );
        let sources = RootSources {
            variables: &[("HOME", home)],
            cwd: Some(cwd),
            ..RootSources::default()
        };
        homes(&descriptor, &sources)
    }

    #[test]
    fn a_home_is_implied_by_a_directory_in_it() {
        for (cwd, home) in [
            ("/home/me/p", "/home/me"),
            (" /Users/me", "/Users/me"),
            ("/home/./ada/p", "/home/ada"),
            ("/srv/../home/ada/p", "/home/ada"),
            ("/home//ada/p", "/home/ada"),
            ("/home/x/../ada", "/home/ada"),
        ] {
            assert_eq!(homes_of(cwd, ""), [home], "{cwd}");
        }
        for cwd in [
            "/home/",
            "/homes/me",
            "/home/../srv/x",
            "/home/.",
            "home/me",
        ] {
            assert_eq!(homes_of(cwd, ""), [""; 0], "{cwd}");
        }
    }

    #[test]
    fn the_root_of_the_file_system_is_no_home_however_it_is_said() {
        for home in [
            "/", "//", "/.", "/srv/..", "/..", " / ", r"\", r"\.", ".", "a/..",
        ] {
            assert_eq!(homes_of("/work", home), [""; 0], "{home}");
        }
        assert_eq!(homes_of("/work", "/opt/../srv/"), ["/srv"]);
    }

    #[test]
    fn links_of_macos_are_known_in_both_directions() {
        assert_eq!(private_alias("/private/tmp/x").as_deref(), Some("/tmp/x"));
        assert_eq!(private_alias("/var/x").as_deref(), Some("/private/var/x"));
        assert_eq!(private_alias("/private/home"), None);
    }

    #[test]
    fn a_slug_keeps_letters_and_digits_of_ascii_only() {
        assert_eq!(cwd_slug("/srv/Ünï.dir_x"), "-srv--n--dir-x");
        assert_eq!(cwd_slug("/a/\u{1f600}b/日"), "-a---b--");
    }
}
