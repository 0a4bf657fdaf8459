//! All scenarios: which test, and how often in the short form and in the long one. Of a test that
//! goes through points one by one, system calls or bytes, the number is the most that are tried.

use super::scenario::Binary::{self, Library, Test};
use super::scenario::{Build, Scenario};

const RECORD: (&str, Binary) = ("cassette-record", Test("integration"));
const COMMAND: (&str, Binary) = ("cassette-cli", Test("integration"));
const SECRETS: (&str, Binary) = ("cassette-record", Library);
const PLACES: (&str, Binary) = ("fork-state", Library);
const BINDINGS: (&str, Binary) = ("fork-state", Test("integration"));
const PROCESSES: (&str, Binary) = ("process-local", Test("integration"));
const SUPERVISED: (&str, Binary) = ("process-local", Test("supervised"));
const SESSIONS: (&str, Binary) = ("process-local", Test("sessions"));
const SCHEDULES: (&str, Binary) = ("cassette-replay", Test("schedules"));
const FAULTS: (&str, Binary) = ("cassette-tests", Test("faults"));

/// A scenario of a test that is built as all tests are.
const fn scenario(
    name: &'static str,
    (package, binary): (&'static str, Binary),
    test: &'static str,
    (short, long): (u64, fn(u64) -> u64),
) -> Scenario {
    Scenario {
        name,
        package,
        binary,
        build: Build::Ordinary,
        test,
        short,
        long,
    }
}

/// One of the scheduler that tries orders of tasks: a million at ten thousand rounds.
const fn schedules(name: &'static str, test: &'static str) -> Scenario {
    Scenario {
        build: Build::Schedules,
        ..scenario(name, SCHEDULES, test, (2_000, |rounds| rounds * 100))
    }
}

/// In the order of the table.
pub(crate) const SCENARIOS: &[Scenario] = &[
    scenario(
        "recorder killed at random moments",
        RECORD,
        "crash::a_recorder_that_is_killed_at_any_moment_loses_no_released_frame",
        (300, |rounds| rounds),
    ),
    scenario(
        "recorder killed at every call",
        FAULTS,
        "recording::a_recorder_that_is_killed_at_any_system_call_loses_no_released_frame",
        (100, |rounds| rounds),
    ),
    scenario(
        "recorder, errors at every call",
        FAULTS,
        "recording::an_error_at_any_system_call_leaves_no_false_complete_and_no_spliced_line",
        (100, |rounds| rounds),
    ),
    scenario(
        "manifest killed at every call",
        FAULTS,
        "replacing::a_replacement_that_is_killed_leaves_the_old_manifest_or_the_new_one",
        (100, |rounds| rounds),
    ),
    scenario(
        "manifest, errors at every call",
        FAULTS,
        "replacing::a_replacement_of_which_a_call_fails_leaves_the_old_manifest_or_the_new_one",
        (100, |rounds| rounds),
    ),
    scenario(
        "recover killed at every call",
        COMMAND,
        "copy_faults::a_recovery_that_is_killed_leaves_a_complete_cassette_or_none",
        (80, |rounds| rounds),
    ),
    scenario(
        "recover, errors at every call",
        COMMAND,
        "copy_faults::a_recovery_of_which_a_call_fails_leaves_a_complete_cassette_or_none",
        (80, |rounds| rounds),
    ),
    scenario(
        "redact killed at every call",
        COMMAND,
        "copy_faults::a_redaction_that_is_killed_leaves_a_complete_cassette_or_none",
        (40, |rounds| rounds),
    ),
    scenario(
        "redact, errors at every call",
        COMMAND,
        "copy_faults::a_redaction_of_which_a_call_fails_leaves_a_complete_cassette_or_none",
        (40, |rounds| rounds),
    ),
    scenario(
        "bind killed at every call",
        COMMAND,
        "fork_faults::a_binding_that_is_killed_leaves_nothing_or_the_whole",
        (100, |rounds| rounds),
    ),
    scenario(
        "bind, errors at every call",
        COMMAND,
        "fork_faults::a_binding_of_which_a_call_fails_leaves_nothing_or_the_whole",
        (100, |rounds| rounds),
    ),
    scenario(
        "power loss while recording",
        FAULTS,
        "power_loss::recording::no_power_loss_leaves_a_false_complete_or_loses_what_was_synced",
        (1, |_| 1),
    ),
    scenario(
        "power loss while recording anew",
        FAULTS,
        "power_loss::recording::no_power_loss_leaves_a_manifest_beside_the_frames_of_another_recording",
        (1, |_| 1),
    ),
    scenario(
        "power loss while replacing a manifest",
        FAULTS,
        "power_loss::replacing::no_power_loss_leaves_half_a_manifest",
        (1, |_| 1),
    ),
    scenario(
        "power loss while recovering",
        FAULTS,
        "power_loss::recovering::no_power_loss_leaves_a_false_complete_copy",
        (1, |_| 1),
    ),
    scenario(
        "power loss while binding",
        FAULTS,
        "power_loss::binding::no_power_loss_leaves_part_of_a_transcript",
        (1, |_| 1),
    ),
    scenario(
        "full disk, a frame cut at every byte",
        RECORD,
        "full::a_full_disk_fails_the_recording_and_leaves_only_whole_lines",
        (1, |_| 1),
    ),
    scenario(
        "file size limit, recorder",
        RECORD,
        "full::a_limit_of_the_size_of_files_fails_the_recording_or_ends_the_process_and_loses_no_line",
        (1, |_| 1),
    ),
    scenario(
        "file size limit, cassette record",
        COMMAND,
        "size_limit::a_limit_of_the_size_of_files_fails_the_recording_and_the_agent_goes_on",
        (1, |_| 1),
    ),
    scenario(
        "file size limit, other commands",
        COMMAND,
        "size_limit::a_limit_of_the_size_of_files_fails_whatever_else_writes",
        (1, |_| 1),
    ),
    scenario(
        "executable overwritten",
        PROCESSES,
        "verified::swaps::no_other_bytes_run_while_the_file_is_written",
        (50, |rounds| rounds),
    ),
    scenario(
        "executable overwritten by mapping",
        PROCESSES,
        "verified::swaps::no_other_bytes_run_while_the_file_is_written_through_a_mapping",
        (50, |rounds| rounds),
    ),
    scenario(
        "executable renamed over",
        PROCESSES,
        "verified::swaps::no_other_bytes_run_while_the_file_is_replaced",
        (50, |rounds| rounds),
    ),
    scenario(
        "path races, opens",
        PLACES,
        "place::tests::attack::attack_no_open_reaches_what_a_link_leads_to",
        (100_000, |rounds| rounds * 100),
    ),
    scenario(
        "path races, writes",
        PLACES,
        "place::tests::attack::attack_no_write_goes_where_a_link_leads",
        (500, |rounds| rounds),
    ),
    scenario(
        "path races, bindings",
        BINDINGS,
        "swapped::no_binding_goes_where_a_link_leads_that_was_swapped_in",
        (200, |rounds| rounds),
    ),
    scenario(
        "sessions, 200 at once",
        SESSIONS,
        "two_hundred_sessions_at_once_keep_their_frames_in_order",
        (500, |rounds| rounds),
    ),
    scenario(
        "sessions, one after another",
        SESSIONS,
        "a_thousand_sessions_leave_no_descriptor_thread_or_child",
        (1_000, |rounds| rounds),
    ),
    scenario(
        "sessions, supervised",
        SESSIONS,
        "two_hundred_supervised_sessions_leave_no_descriptor_thread_or_child",
        (100, |rounds| rounds / 10),
    ),
    scenario(
        "sessions, verified",
        SESSIONS,
        "verified_runs_leave_no_descriptor_thread_or_child",
        (20, |rounds| rounds / 10),
    ),
    scenario(
        "runtime shut down",
        SESSIONS,
        "runtimes_that_are_shut_down_leave_no_descriptor_thread_or_child",
        (50, |rounds| rounds / 10),
    ),
    scenario(
        "runtime shut down, supervised",
        SESSIONS,
        "runtimes_that_are_shut_down_leave_nothing_of_supervised_sessions",
        (12, |rounds| rounds / 50),
    ),
    scenario(
        "host killed, supervised",
        SUPERVISED,
        "host_killed::a_host_that_is_killed_leaves_nobody",
        (3, |rounds| rounds / 50),
    ),
    scenario(
        "host killed, supervised and verified",
        SUPERVISED,
        "host_killed::a_host_that_is_killed_leaves_no_verified_process",
        (3, |rounds| rounds / 50),
    ),
    scenario(
        "close ladder × agent zoo",
        PROCESSES,
        "matrix::close::closing_leaves_nobody_of_any_group_and_loses_nothing",
        (1, |rounds| rounds / 200),
    ),
    scenario(
        "close ladder × agent zoo, supervised",
        SUPERVISED,
        "matrix::close::closing_leaves_nobody_of_any_group_and_loses_nothing",
        (1, |rounds| rounds / 200),
    ),
    scenario(
        "kill × agent zoo, supervised",
        SUPERVISED,
        "matrix::kill::killing_leaves_nobody_of_any_group_and_loses_nothing",
        (1, |rounds| rounds / 200),
    ),
    scenario(
        "drop × agent zoo, supervised",
        SUPERVISED,
        "matrix::drop::dropping_leaves_nobody_of_any_group",
        (1, |rounds| rounds / 200),
    ),
    scenario(
        "secrets, streams cut everywhere",
        SECRETS,
        "secrets::tests::exhaustive::every_form_is_found_in_a_stream_wherever_it_is_cut",
        (100_000, |rounds| rounds * 100),
    ),
    scenario(
        "secrets, over two messages",
        SECRETS,
        "secrets::tests::exhaustive::every_form_is_found_in_messages_wherever_it_is_cut",
        (20_000, |rounds| rounds * 10),
    ),
    scenario(
        "secrets, over two lines",
        SECRETS,
        "secrets::tests::exhaustive::every_form_without_line_ends_is_found_in_lines_wherever_it_is_cut",
        (20_000, |rounds| rounds * 10),
    ),
    schedules(
        "schedules, to the end",
        "a_host_that_sends_and_receives_comes_to_the_end",
    ),
    schedules(
        "schedules, a close at any moment",
        "a_close_at_any_moment_ends_every_wait",
    ),
    schedules(
        "schedules, a pause and its end",
        "a_pause_and_its_end_lose_no_wake_up",
    ),
    schedules(
        "schedules, cancelled receives",
        "a_cancelled_receive_loses_no_frame_and_a_cancelled_send_is_taken",
    ),
    schedules(
        "schedules, held units",
        "held_units_go_on_when_the_cursor_moves_or_the_connection_closes",
    ),
    schedules(
        "schedules, a probe at any moment",
        "a_probe_at_any_moment_is_answered_between_the_agents_messages",
    ),
    schedules(
        "schedules, a close during a launch",
        "a_close_while_a_launch_goes_on_to_another_connection_ends_it",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_name_is_there_twice() {
        let names: BTreeSet<&str> = SCENARIOS.iter().map(|it| it.name).collect();

        assert_eq!(names.len(), SCENARIOS.len());
    }

    #[test]
    fn ten_thousand_rounds_reach_the_figures_of_the_long_form() {
        let figures = |beginning: &str| -> Vec<u64> {
            let named = SCENARIOS
                .iter()
                .filter(|scenario| scenario.name.starts_with(beginning));
            named
                .map(|scenario| scenario.rounds(Some(10_000)))
                .collect()
        };

        assert_eq!(figures("recorder killed at random"), [10_000]);
        assert_eq!(figures("executable"), [10_000; 3]);
        assert_eq!(figures("path races, opens"), [1_000_000]);
        assert_eq!(figures("sessions, 200"), [10_000]);
        assert_eq!(figures("close ladder"), [50; 2]);
        assert_eq!(figures("schedules"), [1_000_000; 7]);
    }
}
