//! A file that takes another one's place, or does not.

use std::fs;
use std::os::unix::fs::symlink;

use super::{SYSTEMS, Scratch, finished};
use crate::place::{Directory, Stamp};

fn inspected(root: &Directory) -> Stamp {
    root.open_file("file".as_ref()).unwrap().unwrap().stamp()
}

fn content(scratch: &Scratch) -> String {
    fs::read_to_string(scratch.root().join("file")).unwrap()
}

#[test]
fn the_inspected_file_is_replaced() {
    for calls in SYSTEMS {
        let scratch = Scratch::new();
        fs::write(scratch.root().join("file"), "old").unwrap();
        let root = scratch.opened(calls);
        let stamp = inspected(&root);

        let staged = finished(&root, "new one");
        staged.replace("file".as_ref(), &stamp).unwrap();

        assert_eq!(content(&scratch), "new one");
        assert_eq!(scratch.tree(), ["file"]);
    }
}

#[test]
fn a_file_that_took_the_inspected_ones_place_stays() {
    for calls in SYSTEMS {
        let scratch = Scratch::new();
        let place = scratch.root().join("file");
        fs::write(&place, "old").unwrap();
        let root = scratch.opened(calls);
        let stamp = inspected(&root);
        fs::rename(&place, scratch.outside().join("kept")).unwrap();
        fs::write(&place, "own").unwrap();
        let swapped = inspected(&root);

        let staged = finished(&root, "new one");
        let told = scratch.told(staged.replace("file".as_ref(), &stamp));

        assert_eq!(told, "file changed meanwhile");
        assert_eq!(inspected(&root), swapped);
        assert_eq!(content(&scratch), "own");
        assert_eq!(scratch.tree(), ["file"]);
    }
}

#[test]
fn a_file_that_was_written_to_since_its_inspection_stays() {
    for calls in SYSTEMS {
        let scratch = Scratch::new();
        let place = scratch.root().join("file");
        fs::write(&place, "old").unwrap();
        let root = scratch.opened(calls);
        let stamp = inspected(&root);
        fs::write(&place, "old and more").unwrap();

        let staged = finished(&root, "new one");
        let told = scratch.told(staged.replace("file".as_ref(), &stamp));

        assert_eq!(told, "file changed meanwhile");
        assert_eq!(content(&scratch), "old and more");
        assert_eq!(scratch.tree(), ["file"]);
    }
}

#[test]
fn a_link_a_directory_or_nothing_in_the_inspected_ones_place_stays_so() {
    for calls in SYSTEMS {
        let scratch = Scratch::new();
        let place = scratch.root().join("file");
        let victim = scratch.outside().join("victim");
        fs::write(&victim, "untouched").unwrap();
        let root = scratch.opened(calls);
        fs::write(&place, "old").unwrap();
        let stamp = inspected(&root);
        fs::remove_file(&place).unwrap();
        let refused = |expected: &[&str]| {
            let staged = finished(&root, "new one");
            let told = scratch.told(staged.replace("file".as_ref(), &stamp));
            assert_eq!(told, "file changed meanwhile");
            assert_eq!(scratch.tree(), expected);
        };

        refused(&[]);
        symlink(&victim, &place).unwrap();
        refused(&["file"]);
        assert_eq!(fs::read_link(&place).unwrap(), victim);
        fs::remove_file(&place).unwrap();
        fs::create_dir(&place).unwrap();
        refused(&["file/"]);

        assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
    }
}

#[test]
fn a_foreign_file_is_not_taken_for_the_replacement() {
    for calls in SYSTEMS {
        let scratch = Scratch::new();
        fs::write(scratch.root().join("file"), "old").unwrap();
        let root = scratch.opened(calls);
        let stamp = inspected(&root);
        let staged = finished(&root, "new one");
        let temporary = scratch.root().join(scratch.tree().remove(0));
        fs::remove_file(&temporary).unwrap();
        fs::write(&temporary, "foreign").unwrap();

        let told = scratch.told(staged.replace("file".as_ref(), &stamp));

        assert_eq!(told, "file changed meanwhile");
        assert_eq!(content(&scratch), "old");
    }
}
