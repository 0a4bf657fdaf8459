//! One agent of the matrix: begun, ended, looked at.

use std::fs;
use std::time::{Duration, Instant};

use cassette_format::process::{Frame, FrameEvent, ProcessConnection as _};
use process_local::LocalConnection;

use crate::agent::{Heard, Watched, hear_more, within};
use crate::matrix::agents::{Kind, SAID, named};

/// A running agent, with what is known of it.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) kind: Kind,
    /// `None` once it was dropped.
    pub(crate) agent: Option<LocalConnection>,
    pub(crate) leader: Watched,
    /// A descendant that it named.
    pub(crate) descendant: Option<Watched>,
    pub(crate) heard: Heard,
    began_to_end: Option<Instant>,
}

impl Row {
    pub(crate) async fn begin(kind: Kind, agent: LocalConnection) -> Self {
        let leader = Watched::new(agent.process_id());
        let mut heard = Heard::default();
        within(async {
            let complete = |heard: &Heard| {
                let line = heard.stdout.get(SAID..).unwrap_or_default();
                heard.stdout.len() >= SAID && (!kind.says_line() || line.ends_with(b"\n"))
            };
            while !complete(&heard) {
                match agent.recv().await.unwrap().unwrap() {
                    Frame {
                        event: FrameEvent::Stdout(bytes),
                        ..
                    } => heard.stdout.extend(bytes),
                    other => panic!("output was to come, not {other:?}"),
                }
            }
        })
        .await;
        let line = String::from_utf8_lossy(&heard.stdout[SAID..]).into_owned();
        if kind.arguments.ends_with("stop") {
            within(leader.await_state('T')).await;
        }
        Self {
            kind,
            agent: Some(agent),
            descendant: kind.says_id().then(|| named(&line)).flatten(),
            leader,
            heard,
            began_to_end: None,
        }
    }

    pub(crate) fn agent(&self) -> &LocalConnection {
        self.agent.as_ref().unwrap()
    }

    /// From now on the time counts.
    pub(crate) fn ending(&mut self) {
        self.began_to_end = Some(Instant::now());
    }

    /// Hears the rest, up to the exit frame, which must be the last and only one.
    pub(crate) async fn hear_the_end(&mut self) -> Frame {
        let mut heard = std::mem::take(&mut self.heard);
        hear_more(self.agent.as_ref().unwrap(), &mut heard).await;
        self.heard = heard;
        assert_eq!(
            self.heard.ends.len(),
            1,
            "{}: exit frame last and once",
            self.kind.name
        );
        self.heard.ends[0].clone()
    }

    /// Nobody of the group lives, nothing was lost, and the leader was reaped. Prints
    /// the row; gives how long the end took, and who survives it.
    pub(crate) async fn assert_nothing_is_left(mut self, how: &str) -> (Duration, usize) {
        let took = self.began_to_end.unwrap().elapsed();
        self.leader.await_end();
        self.leader.await_reaped().await;
        await_no_member(self.leader.pid.as_raw_nonzero().get()).await;
        let survivors = match self.descendant.take() {
            Some(daemon) if self.kind.has_survivor() => {
                assert!(daemon.lives(), "the daemon is out of reach");
                daemon.kill();
                "its daemon"
            }
            Some(descendant) => {
                descendant.await_end();
                "none"
            }
            None => "none",
        };
        let mut told = String::new();
        if let Some(end) = self.heard.ends.first() {
            let lost = self.kind.lost(&self.heard);
            assert_eq!(lost, 0, "{}: bytes lost", self.kind.name);
            let message = end.message.as_deref().unwrap_or_default();
            told = format!("lost: {lost}  {message}");
        }
        print_row(how, &self.kind, (survivors, took), &told);
        (took, usize::from(survivors != "none"))
    }
}

/// How often each kind is ended: once, or as `FAULT_ROUNDS` says.
pub(crate) fn rounds() -> usize {
    let rounds = std::env::var("FAULT_ROUNDS").ok();
    rounds.map_or(1, |rounds| rounds.parse().unwrap())
}

/// All rows of one way to end.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    rows: usize,
    survivors: usize,
    longest: Duration,
}

impl Tally {
    pub(crate) fn add(&mut self, (took, survivors): (Duration, usize)) {
        self.rows += 1;
        self.survivors += survivors;
        self.longest = self.longest.max(took);
    }

    /// What there is beside the agents; only a supervisor reaches a daemon.
    pub(crate) fn tell(&self, ended: &str) {
        let Self {
            rows,
            survivors,
            longest,
        } = self;
        let out_of_reach = if *survivors == 0 { "" } else { " (daemons)" };
        println!(
            "faults: {rows} agents {ended}, {survivors} survivors{out_of_reach}, at most \
             {longest:.1?} each"
        );
    }
}

/// A row as `--nocapture` shows it.
pub(crate) fn print_row(how: &str, kind: &Kind, (survivors, took): (&str, Duration), told: &str) {
    let name = kind.name;
    println!("{how:<12} {name:<30} survivors: {survivors:<10} {took:>9.1?}  {told}");
}

/// Waits until no process of the group lives. Zombies of others do not count.
pub(crate) async fn await_no_member(group: i32) {
    within(async {
        while has_member(group) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await;
}

fn has_member(group: i32) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else {
            return false;
        };
        // After the name in brackets: state, parent, group.
        let after_name = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let fields: Vec<&str> = after_name.split(' ').collect();
        fields.first() != Some(&"Z")
            && fields.get(2).and_then(|field| field.parse().ok()) == Some(group)
    })
}
