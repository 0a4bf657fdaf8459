//! Identities that no binding is made for.

use cassette_format::schema::AgentSessionId;
use fork_state::{Outcome, ProviderSessionId};

use crate::rollout::Rollout;
use crate::scratch::{Scratch, day};

/// What is changed of a request.
type Change<'a> = &'a dyn Fn(&mut Scratch);

#[test]
fn blank_and_equal_identities_are_refused_before_anything_is_made() {
    let session = AgentSessionId::from_recorded;
    let thread = ProviderSessionId::from_recorded;
    let changes: [(Change<'_>, &str); 7] = [
        (
            &|it| it.request.workspace = "\t".into(),
            "workspace of the fork is blank",
        ),
        (
            &|it| it.request.source_session = session(" "),
            "source session of the fork is blank",
        ),
        (
            &|it| it.request.target_session = session(""),
            "target session of the fork is blank",
        ),
        (
            &|it| it.request.source_provider_session = thread("\n"),
            "source provider session of the fork is blank",
        ),
        (
            &|it| it.request.target_provider_session = thread(""),
            "target provider session of the fork is blank",
        ),
        (
            &|it| it.request.target_session = session(" one "),
            "source and target have the same session",
        ),
        (
            &|it| it.request.target_provider_session = thread("t1 "),
            "source and target have the same provider session",
        ),
    ];
    for (change, told) in changes {
        let mut scratch = Scratch::new();
        change(&mut scratch);
        assert_eq!(scratch.refused(), told);
        assert!(!scratch.state().exists(), "{told}");
    }
}

#[test]
fn sessions_that_name_no_directory_are_refused() {
    for hostile in [".", "..", &"x".repeat(4096)] {
        let mut scratch = Scratch::new();
        scratch.request.target_session = AgentSessionId::from_recorded(hostile);
        let told = format!("session `{hostile}` cannot name a directory");
        assert_eq!(scratch.refused(), told);
        assert!(!scratch.state().exists(), "{told}");
    }
}

#[test]
fn sessions_with_separators_and_nul_name_directories_below_the_state() {
    for hostile in ["../../up", "/etc", "a\0b", "a\\b", "ü"] {
        let mut scratch = Scratch::new();
        scratch.put_source(&day("t2"), Rollout::of("t2").bytes());
        scratch.request.target_session = AgentSessionId::from_recorded(hostile);
        assert_eq!(scratch.bound().outcome, Outcome::Copied, "{hostile}");
        let entries = std::fs::read_dir(scratch.root()).unwrap();
        assert_eq!(entries.count(), 1, "{hostile}");
    }
}

/// The name of a thread is looked for in names of files, and never becomes one.
#[test]
fn threads_of_any_name_are_looked_for_and_not_found() {
    for hostile in ["..", "../t1", "a/b", "a\0b", &"x".repeat(4096)] {
        let mut scratch = Scratch::new();
        scratch.put_source(&day("t1"), Rollout::of("t1").bytes());
        scratch.request.target_provider_session = ProviderSessionId::from_recorded(hostile);
        let told = format!("no transcript of session `{hostile}` below one/codex-home");
        assert_eq!(scratch.refused(), told);
    }
}

#[test]
fn a_thread_is_compared_after_trimming() {
    let mut scratch = Scratch::new();
    scratch.put_source(&day("t2"), Rollout::of(" t2\n").bytes());
    scratch.request.target_provider_session = ProviderSessionId::from_recorded("\tt2 ");
    assert_eq!(scratch.bound().outcome, Outcome::Copied);
}

#[test]
fn sessions_that_differ_in_replaced_characters_only_are_refused() {
    let mut scratch = Scratch::new();
    scratch.request.source_session = AgentSessionId::from_recorded("a b");
    scratch.request.target_session = AgentSessionId::from_recorded("a_b");
    let told = "source and target have the same home a_b/codex-home";
    assert_eq!(scratch.refused(), told);
}
