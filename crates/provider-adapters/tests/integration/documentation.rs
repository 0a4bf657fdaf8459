//! `docs/providers.md` agrees with the data.
//!
//! Its tables are made of the descriptors. After a change of one:
//! `UPDATE_DOCS=1 cargo test -p provider-adapters documentation`, and read the diff.

use std::fs;

use cassette_format::descriptor::TranscriptLayout;
use provider_adapters::{builtin, parse_toml};

use super::tables;

const PAGE: &str = include_str!("../../../../docs/providers.md");

/// The page with the table between `<!-- table: name -->` and `<!-- end -->`
/// replaced.
fn with_table(page: &str, name: &str, table: &str) -> String {
    let start = format!("<!-- table: {name} -->\n");
    let (before, rest) = page
        .split_once(&start)
        .unwrap_or_else(|| panic!("no table of {name}"));
    let (_, after) = rest.split_once("<!-- end -->").unwrap();
    format!("{before}{start}\n{table}\n<!-- end -->{after}")
}

#[test]
fn every_table_of_the_page_is_made_of_the_data() {
    let registry = builtin();
    let mut current = with_table(PAGE, "providers", &tables::overview(registry.iter()));
    for descriptor in registry.iter() {
        let id = descriptor.id.to_string();
        current = with_table(&current, &id, &tables::table(descriptor));
        assert!(
            current.contains(&format!("\n## {id}\n")),
            "no section of {id}"
        );
        assert!(
            id == "tutti-agent" || current.contains(&format!("--provider {id} -- ")),
            "not said how to record {id}"
        );
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/providers.md");
        fs::write(page, current).unwrap();
    } else {
        assert_eq!(current, PAGE, "UPDATE_DOCS=1 writes the tables anew");
    }
}

#[test]
fn the_example_of_the_page_is_a_descriptor_that_registers() {
    let (_, section) = PAGE.split_once("\n## Your own provider\n").unwrap();
    let (_, rest) = section.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let descriptor = parse_toml(example).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    assert_eq!(descriptor.id.as_str(), "qwen-code");
    let chats = TranscriptLayout::ProjectFiles {
        directory: "projects".into(),
        subdirectory: Some("chats".into()),
    };
    assert_eq!(descriptor.transcripts, Some(chats));
    builtin().register(descriptor).unwrap();
}
