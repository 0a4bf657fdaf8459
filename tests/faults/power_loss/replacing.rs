//! Replacing a manifest.

use std::fs;

use cassette_format::store::write_manifest;

use super::crashes::after_each_power_loss;
use crate::work::manifest;

#[test]
fn no_power_loss_leaves_half_a_manifest() {
    after_each_power_loss(
        "replacing",
        |root| {
            fs::create_dir(root.join("tape")).unwrap();
            let path = root.join("tape/manifest.json");
            fs::write(path, write_manifest(&manifest(0))).unwrap();
        },
        |found| {
            let text = fs::read(found.directory.join("tape/manifest.json")).unwrap();
            // The last one that was said to be there, or the one after it.
            let expected = [0, 1].map(|more| write_manifest(&manifest(found.said + more)));
            assert!(expected.contains(&text), "{:?}", found.tree);
        },
    );
}
