//! Files that are descriptors, and those that are not.

use std::fs;
use std::path::{Path, PathBuf};

use provider_adapters::{MAX_DESCRIPTOR_BYTES, parse_toml, read_descriptor};
use tempfile::TempDir;

const COMPLETE: &str = include_str!("files/complete.toml");

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// What is said of the file, without the folder's own name.
    fn told(&self, path: &Path) -> String {
        let folder = format!("{}/", self.0.path().display());
        read_descriptor(path)
            .unwrap_err()
            .to_string()
            .replace(&folder, "")
    }
}

#[test]
fn a_file_is_read_as_its_name_ends() {
    let folder = Folder::new();
    let expected = parse_toml(COMPLETE).unwrap();
    let toml = folder.file("a.TOML", COMPLETE);
    assert_eq!(read_descriptor(&toml).unwrap(), expected);
    let json = folder.file("a.json", serde_json::to_string(&expected).unwrap());
    assert_eq!(read_descriptor(&json).unwrap(), expected);
    let other = folder.file("a.yaml", COMPLETE);
    assert_eq!(
        folder.told(&other),
        "descriptor file `a.yaml` is named neither `.toml` nor `.json`"
    );
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = Folder::new();
    let directory = folder.0.path().join("a.toml");
    fs::create_dir(&directory).unwrap();
    assert_eq!(
        folder.told(&directory),
        "descriptor file `a.toml` is no regular file"
    );
    let absent = folder.0.path().join("b.toml");
    assert_eq!(
        folder.told(&absent),
        "descriptor file `b.toml` cannot be read"
    );
}

#[cfg(unix)]
#[test]
fn a_link_to_a_device_is_refused_without_reading_it() {
    let folder = Folder::new();
    let link = folder.0.path().join("a.toml");
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    assert_eq!(
        folder.told(&link),
        "descriptor file `a.toml` is no regular file"
    );
}

#[test]
fn a_file_of_the_limit_is_read_and_one_byte_more_refused() {
    let folder = Folder::new();
    let mut text = format!("{COMPLETE}\n#");
    let limit = usize::try_from(MAX_DESCRIPTOR_BYTES).unwrap();
    text.extend(std::iter::repeat_n('x', limit - text.len()));
    let fits = folder.file("fits.toml", &text);
    assert!(read_descriptor(&fits).is_ok());
    text.push('x');
    let long = folder.file("long.toml", &text);
    assert_eq!(
        folder.told(&long),
        "descriptor file `long.toml` is longer than 1048576 bytes"
    );
}

#[test]
fn bytes_that_are_no_text_are_told_by_line() {
    let folder = Folder::new();
    let file = folder.file("a.toml", b"id = 'a'\n# \xff\n");
    assert_eq!(folder.told(&file), "a.toml:2: not utf-8");
}

#[test]
fn each_mistake_has_a_line_that_names_the_file() {
    let folder = Folder::new();
    let file = folder.file(
        "a.json",
        "{\n \"id\": 1,\n \"target\": \"t\", \"framing\": \"raw\"}",
    );
    assert_eq!(
        folder.told(&file),
        "a.json:1:1: `dialect`: missing; expected `json-rpc`, `typed-envelope`, `stream-json` or \
         `opaque`\n\
         a.json:2:8: `id`: expected a text, found a number"
    );
}
