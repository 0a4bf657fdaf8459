//! When a probe comes decides nothing about what is delivered.

use std::collections::BTreeMap;
use std::time::Duration;

use cassette_format::process::FrameEvent;
use cassette_replay::Player;
use proptest::prelude::*;

use super::host::{connect, player, timed_player};
use super::tape::Recording;

/// What is recorded after one another, and what the host does with it.
#[derive(Debug, Clone)]
enum Step {
    /// A request that has to be sent.
    Work,
    /// A probe, answered so long after it as there are steps in between.
    Probe { answered_after: usize, sent: Sent },
    /// The agent says something.
    Event,
    /// So much time passes.
    Time(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Never,
    InTurn,
    /// So many requests too late or too early.
    Late(usize),
    Early(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let sent = prop_oneof![
        Just(Sent::Never),
        Just(Sent::InTurn),
        (1..4_usize).prop_map(Sent::Late),
        (1..4_usize).prop_map(Sent::Early),
    ];
    prop_oneof![
        3 => Just(Step::Work),
        4 => (0..3_usize, sent).prop_map(|(answered_after, sent)| {
            Step::Probe { answered_after, sent }
        }),
        2 => Just(Step::Event),
        1 => (1..300_u64).prop_map(Step::Time),
    ]
}

fn request(id: usize, kind: &str) -> String {
    format!("{{\"id\":{id},\"method\":\"{kind}\",\"params\":{{\"n\":{id}}}}}\n")
}

/// The tape, what the host sends in order, and the events that the agent says.
fn play_of(steps: &[Step]) -> (Recording, Vec<String>, usize) {
    let mut recording = Recording::new();
    let mut due: Vec<(usize, String)> = Vec::new();
    let mut sends: Vec<(usize, String)> = Vec::new();
    let (mut elapsed, mut events) = (0, 0);
    for (at, step) in steps.iter().enumerate() {
        let own = format!("{{\"id\":{at},\"result\":\"own {at}\"}}\n");
        match step {
            Step::Work => {
                recording = recording.outbound(request(at, "work")).stdout(own);
                sends.push((at * 2, request(at, "work")));
            }
            Step::Probe {
                answered_after,
                sent,
            } => {
                recording = recording.outbound(request(at, "probe"));
                due.push((at + answered_after, own));
                let place = match sent {
                    Sent::Never => None,
                    Sent::InTurn => Some(at * 2),
                    Sent::Late(by) => Some((at + by) * 2 + 1),
                    Sent::Early(by) => Some((at.saturating_sub(*by) * 2).saturating_sub(1)),
                };
                sends.extend(place.map(|place| (place, request(at, "probe"))));
            }
            Step::Event => {
                events += 1;
                recording = recording.stdout(format!("{{\"method\":\"event {events}\"}}\n"));
            }
            Step::Time(millis) => {
                elapsed += millis;
                recording = recording.at(elapsed);
            }
        }
        let (now, later): (Vec<_>, Vec<_>) = due.into_iter().partition(|(when, _)| *when <= at);
        due = later;
        for (_, own) in now {
            recording = recording.stdout(own);
        }
    }
    for (_, own) in due {
        recording = recording.stdout(own);
    }
    sends.sort_by_key(|(place, _)| *place);
    let sends = sends.into_iter().map(|(_, text)| text).collect();
    (recording.exit(0), sends, events)
}

/// Plays, with these pauses between what is sent; the lines that come.
async fn heard(player: &Player, sends: &[String], pauses: &[u64]) -> Vec<String> {
    let connection = connect(player);
    let (sender, sends) = (connection.clone(), sends.to_vec());
    let pauses = pauses.to_vec();
    let sending = tokio::spawn(async move {
        for (text, pause) in sends.iter().zip(pauses.iter().cycle()) {
            tokio::time::sleep(Duration::from_millis(*pause)).await;
            sender.0.send(text.as_bytes()).await.unwrap();
        }
    });
    let mut all = Vec::new();
    let is_over = async {
        while let Some(frame) = connection.0.recv().await.unwrap() {
            if let FrameEvent::Stdout(bytes) = frame.event {
                all.extend(bytes);
            }
        }
    };
    let limit = Duration::from_secs(3600);
    tokio::time::timeout(limit, is_over).await.expect("hangs");
    sending.await.unwrap();
    // What was absorbed behind the exit.
    while let Ok(Ok(Some(frame))) =
        tokio::time::timeout(Duration::from_secs(1), connection.0.recv()).await
    {
        if let FrameEvent::Stdout(bytes) = frame.event {
            all.extend(bytes);
        }
    }
    let text = String::from_utf8(all).unwrap();
    text.lines().map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn each_request_has_its_own_answer_once_whenever_it_comes(
        steps in prop::collection::vec(step(), 1..14),
        pauses in prop::collection::vec(prop_oneof![Just(0), Just(49), Just(51), 0..400_u64], 1..6),
        keeps_times in any::<bool>(),
    ) {
        let (recording, sends, events) = play_of(&steps);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let lines = runtime.block_on(async {
            let player = if keeps_times { timed_player(recording) } else { player(recording) };
            let lines = heard(&player, &sends, &pauses).await;
            player.verify_complete().unwrap();
            lines
        });
        let said = lines.iter().filter(|line| line.contains("event"));
        let said: Vec<&str> = said.map(String::as_str).collect();
        let expected: Vec<String> =
            (1..=events).map(|at| format!("{{\"method\":\"event {at}\"}}")).collect();
        prop_assert_eq!(said, expected);
        let mut answered: BTreeMap<&str, usize> = BTreeMap::new();
        for line in lines.iter().filter(|line| !line.contains("event")) {
            *answered.entry(line).or_default() += 1;
        }
        let mut expected = BTreeMap::new();
        let own: Vec<String> = sends
            .iter()
            .map(|text| {
                let id = text.split([':', ',']).nth(1).unwrap();
                format!("{{\"id\":{id},\"result\":\"own {id}\"}}")
            })
            .collect();
        for line in &own {
            expected.insert(line.as_str(), 1);
        }
        prop_assert_eq!(answered, expected);
    }
}
