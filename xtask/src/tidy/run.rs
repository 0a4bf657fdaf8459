//! The list of rules, and the run over all of them.

use std::io::{self, Write as _};

use anyhow::bail;

use super::rule::{Rule, Severity};
use super::tree::Tree;
use super::{
    ambient, banned_names, banned_words, crate_edges, file_size, forbid_unsafe, json_value,
    leftovers, listing_files, module_docs, module_edges, platform_cfg, select_arms, suppressions,
    syntax,
};
use crate::metadata::Metadata;

const RULES: [Rule; 15] = [
    syntax::RULE,
    crate_edges::RULE,
    module_edges::RULE,
    ambient::RULE,
    platform_cfg::RULE,
    file_size::RULE,
    module_docs::RULE,
    banned_names::RULE,
    listing_files::RULE,
    forbid_unsafe::RULE,
    json_value::RULE,
    select_arms::RULE,
    suppressions::RULE,
    leftovers::RULE,
    banned_words::RULE,
];

/// Checks the work tree and prints every finding; fails if a rule is broken.
pub(crate) fn tidy(metadata: &Metadata) -> anyhow::Result<()> {
    let tree = Tree::load(metadata)?;
    let mut out = io::stdout().lock();
    let broken = report(&tree, &mut out)?;
    if broken > 0 {
        bail!("tidy: violations: {broken}");
    }
    writeln!(
        out,
        "tidy: {} rules hold in {} files",
        RULES.len(),
        tree.files.len()
    )?;
    Ok(())
}

/// Prints what the rules find; returns the number of violations.
fn report(tree: &Tree, out: &mut impl io::Write) -> io::Result<usize> {
    let mut broken = 0;
    for rule in RULES {
        for finding in (rule.check)(tree) {
            let severity = match finding.severity {
                Severity::Warning => "warning",
                Severity::Violation => {
                    broken += 1;
                    "error"
                }
            };
            writeln!(out, "{finding}")?;
            writeln!(out, "    {severity}: [{}] {}", rule.name, rule.text)?;
        }
    }
    Ok(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_names_place_and_rule_and_counts_violations_only() {
        let long = format!("//! Docs.\n{}", "const A: u8 = 0;\n".repeat(500));
        let lists = "```crate-edges\n```\n```module-edges\n```\n";
        let tree = Tree::of(&[
            ("ARCHITECTURE.md", lists),
            ("long.rs", &long),
            ("misc.rs", "//! Docs.\n"),
        ]);
        let mut out = Vec::new();

        let broken = report(&tree, &mut out).unwrap();

        let expected = format!(
            "long.rs:501: 500 lines of code\n    warning: [file-size] {}\n\
             misc.rs:1: `misc` in the file's path\n    error: [banned-names] {}\n",
            file_size::RULE.text,
            banned_names::RULE.text
        );
        assert_eq!((broken, String::from_utf8(out).unwrap()), (1, expected));
    }
}
