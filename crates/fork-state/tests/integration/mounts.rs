//! Homes on a read-only file system, on a full one, and under a second mount. Skipped,
//! with a word, where nothing may be mounted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fork_state::Outcome;

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day};
use crate::tree::{Node, files, tree};

/// Something mounted, until it is dropped.
struct Mount(PathBuf);

impl Mount {
    fn new(arguments: &[&str], on: &Path) -> Option<Self> {
        fs::create_dir_all(on).unwrap();
        let mut command = Command::new("mount");
        let command = command.args(arguments).arg(on).stderr(Stdio::null());
        let mounted = command.status().is_ok_and(|status| status.success());
        if !mounted {
            eprintln!("skipped: nothing may be mounted here");
        }
        mounted.then(|| Self(on.to_owned()))
    }

    fn remount_read_only(&self) {
        let mut command = Command::new("mount");
        let command = command.args(["-o", "remount,ro"]).arg(&self.0);
        assert!(command.status().unwrap().success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(&self.0).status();
        assert!(unmounted.unwrap().success());
    }
}

#[test]
fn a_read_only_target_is_refused_and_a_read_only_source_is_read() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").records(2).bytes());
    let run = scratch.state().join("agent/runs/two");
    let Some(mount) = Mount::new(&["-t", "tmpfs", "tmpfs"], &run) else {
        return;
    };
    scratch.put_target(&day("t2"), Rollout::of("t2").bytes());
    mount.remount_read_only();
    let before = files(scratch.root());
    let told = scratch.told(&scratch.bind().unwrap_err());
    assert!(
        told.starts_with("cannot create two/codex-home/.cassette-fork-"),
        "{told}"
    );
    assert!(told.contains("Read-only file system"), "{told}");
    assert_eq!(files(scratch.root()), before);
}

#[test]
fn a_bound_read_only_target_is_bound() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").records(2).bytes());
    let run = scratch.state().join("agent/runs/two");
    let Some(mount) = Mount::new(&["-t", "tmpfs", "tmpfs"], &run) else {
        return;
    };
    scratch.bind().unwrap();
    mount.remount_read_only();
    assert_eq!(scratch.bound().outcome, Outcome::AlreadyBound);
}

#[test]
fn a_directory_of_the_target_may_be_on_another_file_system() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2").records(2);
    let source = scratch.put_source(&day("t2"), rollout.bytes());
    fs::set_permissions(source, fs::Permissions::from_mode(0o640)).unwrap();
    let sessions = scratch.target().join("sessions");
    let Some(_mount) = Mount::new(&["-t", "tmpfs", "tmpfs"], &sessions) else {
        return;
    };
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
    let place = PathBuf::from(day("t2"));
    let bytes = rollout.bytes().to_vec();
    let expected = Node::File { mode: 0o640, bytes };
    assert_eq!(tree(&scratch.target()).get(&place), Some(&expected));
    scratch.put_target(&day("t2"), rollout.cut(5));
    assert_eq!(scratch.bound().outcome, Outcome::Repaired);
    assert_eq!(scratch.target_bytes(&day("t2")), rollout.bytes());
}

#[test]
fn a_full_target_is_refused_and_left_as_it_was() {
    let scratch = Scratch::new();
    let parent = Rollout::of("t1").records(10);
    let fork = Rollout::after("t2", ("t1", &parent)).records(2_000);
    scratch.put_source(&day("t1"), parent.bytes());
    scratch.put_source(&day("t2"), fork.bytes());
    let run = scratch.state().join("agent/runs/two");
    let size = "-osize=128k";
    let Some(_mount) = Mount::new(&["-t", "tmpfs", size, "tmpfs"], &run) else {
        return;
    };
    scratch.put_target(&day("t2"), fork.cut(fork.bytes().len() - 200));
    let before = files(scratch.root());
    let told = scratch.told(&scratch.bind().unwrap_err());
    let place = day("t2");
    let expected = format!("cannot write a copy of one/codex-home/{place}: No space left");
    assert!(told.starts_with(&expected), "{told}");
    assert_eq!(files(scratch.root()), before);
}

#[test]
fn one_directory_under_two_mounts_is_the_same_home() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    let run = scratch.state().join("agent/runs/one");
    let arguments = ["--bind", run.to_str().unwrap()];
    let Some(_mount) = Mount::new(&arguments, &scratch.state().join("agent/runs/two")) else {
        return;
    };
    let told = "source and target have the same home one/codex-home";
    assert_eq!(scratch.refused(), told);
}
