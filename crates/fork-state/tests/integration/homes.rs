//! Homes that are links, missing, files, or one and the same.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use cassette_format::schema::AgentSessionId;
use fork_state::{BindError, Binder, GivenHomes, Outcome};

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day, providers};
use crate::tree::{files, tree};

/// Moves a directory out of the state and puts a link to it in its place.
fn link(scratch: &Scratch, path: &PathBuf) {
    let moved = scratch.root().join("moved");
    fs::rename(path, &moved).unwrap();
    symlink(&moved, path).unwrap();
}

#[test]
fn a_link_in_any_segment_of_a_home_is_refused() {
    for side in ["one", "two"] {
        for (segment, told) in [
            ("agent", "state/agent is a link or no directory"),
            ("agent/runs", "state/agent/runs is a link or no directory"),
            (
                &format!("agent/runs/{side}"),
                &format!("{side} is a link or no directory"),
            ),
            (
                &format!("agent/runs/{side}/codex-home"),
                &format!("{side}/codex-home is a link or no directory"),
            ),
        ] {
            let scratch = Scratch::new();
            scratch.put_source(&day("t2"), Rollout::of("t2").records(2).bytes());
            scratch.put_target(&day("t2"), Rollout::of("t2").bytes());
            link(&scratch, &scratch.state().join(segment));
            assert_eq!(scratch.refused(), told);
        }
    }
}

#[test]
fn a_dangling_link_in_place_of_a_home_is_refused() {
    for side in ["one", "two"] {
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
        let home = scratch
            .state()
            .join("agent/runs")
            .join(side)
            .join("codex-home");
        fs::remove_dir_all(&home).ok();
        fs::create_dir_all(home.parent().unwrap()).unwrap();
        symlink("nowhere", &home).unwrap();
        let told = format!("{side}/codex-home is a link or no directory");
        assert_eq!(scratch.refused(), told);
    }
}

#[test]
fn a_file_in_any_segment_of_a_home_is_refused() {
    for side in ["one", "two"] {
        for (segment, told) in [
            ("", "state is a link or no directory"),
            ("agent/runs", "state/agent/runs is a link or no directory"),
            (
                &format!("agent/runs/{side}/codex-home"),
                &format!("{side}/codex-home is a link or no directory"),
            ),
        ] {
            let scratch = Scratch::new();
            scratch.put_source(&day("t2"), Rollout::of("t2").records(2).bytes());
            scratch.put_target(&day("t2"), Rollout::of("t2").bytes());
            let path: PathBuf = scratch.state().join(segment).components().collect();
            fs::remove_dir_all(&path).unwrap();
            fs::write(&path, "").unwrap();
            assert_eq!(scratch.refused(), told);
        }
    }
}

#[test]
fn a_state_directory_behind_a_link_is_followed() {
    let scratch = Scratch::new();
    let rollout = Rollout::of("t2");
    scratch.put_source(&day("t2"), rollout.bytes());
    link(&scratch, &scratch.state());
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
    let brought = scratch.root().join("moved/agent/runs/two/codex-home");
    assert_eq!(fs::read(brought.join(day("t2"))).unwrap(), rollout.bytes());
}

/// The place where the copy would go leads elsewhere.
#[test]
fn a_link_or_file_in_the_way_of_the_copy_is_refused() {
    for segment in ["sessions", "sessions/2026", "sessions/2026/11/30"] {
        for is_link in [true, false] {
            let scratch = Scratch::new();
            scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
            let path = scratch.target().join(segment);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if is_link {
                let outside = scratch.root().join("outside/2026/11/30");
                fs::create_dir_all(&outside).unwrap();
                symlink(scratch.root().join("outside"), &path).unwrap();
            } else {
                fs::write(&path, "").unwrap();
            }
            let told = format!("two/codex-home/{segment} is a link or no directory");
            assert_eq!(scratch.refused(), told);
        }
    }
}

#[test]
fn a_link_where_the_copy_would_stand_is_refused() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    let place = scratch.target().join(day("t2"));
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    symlink(scratch.root().join("outside"), &place).unwrap();
    let told = format!("two/codex-home/{} exists already", day("t2"));
    assert_eq!(scratch.refused(), told);
}

#[test]
fn the_target_home_is_made_also_when_nothing_is_brought() {
    let scratch = Scratch::new();
    scratch.plan().unwrap_err();
    assert!(!scratch.state().exists());
    scratch.bind().unwrap_err();
    let made = tree(&scratch.state());
    let made: Vec<_> = made.keys().map(|path| path.to_str().unwrap()).collect();
    let expected = [
        "agent",
        "agent/runs",
        "agent/runs/two",
        "agent/runs/two/codex-home",
    ];
    assert_eq!(made, expected);
    let mode = fs::metadata(scratch.target()).unwrap().permissions().mode();
    assert_eq!(mode & 0o022, 0);
    assert_eq!(mode & 0o700, 0o700);
}

#[test]
fn a_directory_that_may_not_be_read_is_refused() {
    for (side, directory) in [("one", "sessions/2026"), ("two", "sessions"), ("one", "")] {
        let scratch = Scratch::new();
        scratch.put_source(&day("t2"), Rollout::of("t2").records(2).bytes());
        scratch.put_target(&day("t2"), Rollout::of("t2").bytes());
        let home = if side == "one" {
            scratch.source()
        } else {
            scratch.target()
        };
        let path = home.join(directory);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        if fs::read_dir(&path).is_ok() {
            eprintln!("skipped: this user may read everything");
            return;
        }
        let told = scratch.told(&scratch.bind().unwrap_err());
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        assert!(told.contains("ermission denied"), "{told}");
        assert!(matches!(scratch.bind().unwrap().outcome, Outcome::Repaired));
    }
}

/// Binds from one directory to another, given by their paths.
fn given(scratch: &Scratch, source: PathBuf, target: PathBuf) -> Result<Outcome, BindError> {
    let session = AgentSessionId::from_recorded;
    let store = GivenHomes::new([(session("one"), source), (session("two"), target)]);
    let providers = providers();
    let binder = Binder::new(&store, &providers);
    let planned = binder.plan(&scratch.request).map(drop);
    let bound = binder.bind(&scratch.request);
    assert_eq!(planned.is_ok(), bound.is_ok());
    Ok(bound?.outcome)
}

#[test]
fn one_directory_by_two_paths_is_the_same_home() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    let link = scratch.root().join("link");
    symlink(scratch.source(), &link).unwrap();
    let real = scratch.source();
    let upwards = real.join("sessions/..");
    let before = files(scratch.root());
    for (source, target) in [
        (real.clone(), real.clone()),
        (real.clone(), link.clone()),
        (link, real.clone()),
        (real, upwards),
    ] {
        let error = given(&scratch, source.clone(), target).unwrap_err();
        let BindError::SameHome { home } = error else {
            panic!("{error:?}");
        };
        assert_eq!(home, source);
        assert_eq!(files(scratch.root()), before);
    }
}

#[test]
fn given_homes_may_be_behind_links() {
    let scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
    let link = scratch.root().join("link");
    symlink(scratch.source(), &link).unwrap();
    let target = scratch.root().join("a/fresh/home");
    assert_eq!(
        given(&scratch, link, target.clone()).unwrap(),
        Outcome::Copied
    );
    assert!(target.join(day("t2")).exists());
}
