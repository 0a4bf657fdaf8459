//! The attacks of [`swaps`](super::swaps) are ones: they succeed where the plain file is executed.

use std::process::Command;

use super::attack::{Attack, Attacker, verify_plainly};
use super::program::{EVIL, Stage};

/// What the file ends with if it was verified.
fn run(stage: &Stage, attack: Attack) -> Option<i32> {
    let (_open, mut executed) = verify_plainly(stage)?;
    if attack == Attack::Rename {
        // What is open stays as it is.
        executed.clone_from(&stage.file);
    }
    let mut command = Command::new(executed);
    // Busy where somebody writes to it right now.
    let ended = command.current_dir(stage.scratch.path()).status();
    ended.ok()?.code()
}

#[test]
fn the_same_attacks_succeed_where_the_plain_file_is_executed() {
    for attack in [Attack::Write, Attack::Map, Attack::Rename] {
        let stage = Stage::new();
        let Some(_attacker) = Attacker::start(attack, &stage) else {
            continue;
        };
        let mut tried = 0_u32;
        while run(&stage, attack) != Some(EVIL.into()) {
            tried += 1;
            assert!(tried < 1_000_000, "{attack:?} never succeeds");
        }
        assert!(stage.has_run("evil"));
        eprintln!("{attack:?} succeeds after {tried} rounds");
    }
}
