//! The steps of the demo: what each does, and what has to come of it.

use anyhow::{Context, ensure};

use super::agent::{BROKEN, COMPLAINT, KEY, NOTES};
use super::client::{Client, Ended, Ids};
use super::conversation::{APPROVAL, PROBE, Probing, TASK, Thread, essence};
use super::story::Telling;
use super::workplace::{Place, Ran, Workplace, typed};

/// What stands in the variable that the agent tells.
const SECRET: &str = "demo-key-5up3r-s3cr3t";
/// Lines of the conversation that are shown, from the approval on and of the end.
const SHOWN: (usize, usize) = (2, 2);
/// Exit codes of this program.
const FOUND: i32 = 1;
const MISMATCH: i32 = 120;

/// A step.
pub(super) struct Step {
    name: &'static str,
    title: &'static str,
    act: fn(&mut Stage, &mut Telling) -> anyhow::Result<()>,
}

/// All steps in their order.
pub(super) const STEPS: [Step; 6] = [
    Step {
        name: "record",
        title: "a client has an agent do something, answers its question, and sees it crash",
        act: record,
    },
    Step {
        name: "verify",
        title: "the cassette is whole, and names no directory of this machine (some of its lines)",
        act: verify,
    },
    Step {
        name: "replay",
        title: "no agent now; the client has another directory, another home, other ids, and asks less",
        act: replay,
    },
    Step {
        name: "mismatch",
        title: "the client says something else than was recorded",
        act: mismatch,
    },
    Step {
        name: "recover",
        title: "a recording that was killed half-way is not lost",
        act: recover,
    },
    Step {
        name: "secrets",
        title: "the agent tells its API key: never on the tape",
        act: secrets,
    },
];

/// Where the steps happen, and what later ones need of earlier ones.
pub(super) struct Stage {
    workplace: Workplace,
    /// What the client heard while it was recorded.
    heard: Vec<String>,
}

impl Step {
    /// Takes the step.
    pub(super) fn take(&self, stage: &mut Stage) -> Telling {
        let mut telling = Telling::of(self.name, self.title);
        if let Err(error) = (self.act)(stage, &mut telling) {
            telling.fail(format!("{error:#}"));
        }
        telling
    }
}

impl Stage {
    pub(super) const fn new(workplace: Workplace) -> Self {
        let heard = Vec::new();
        Self { workplace, heard }
    }

    pub(super) fn into_workplace(self) -> Workplace {
        self.workplace
    }

    /// Runs a command and tells all of it.
    fn run(
        &self,
        telling: &mut Telling,
        (place, arguments): (Place, &[&str]),
    ) -> anyhow::Result<Ran> {
        let ran = self.workplace.run(place, arguments)?;
        telling.command(place, &ran);
        Ok(ran)
    }

    /// A client of `cassette replay` elsewhere.
    fn replaying(&self, cassette: &str) -> anyhow::Result<(Client, String)> {
        let arguments = ["replay", cassette];
        let mut command = self.workplace.command(Place::Elsewhere, &arguments);
        let client = Client::start(&mut command, Ids::Texts)?;
        Ok((client, typed(&arguments)))
    }
}

fn record(stage: &mut Stage, telling: &mut Telling) -> anyhow::Result<()> {
    let project = stage.workplace.place(Place::Project);
    let (mut command, typed) = stage.workplace.recording(&["-o", "../demo.cassette"]);
    let mut client = Client::start(&mut command, Ids::Numbers)?;
    let talked = Thread::begin(&mut client, &project)
        .and_then(|mut thread| thread.whole(TASK, Probing::Done));
    let ended = end(client, talked, (telling, Place::Project, typed))?;
    expect_code(ended.code, i32::from(BROKEN))?;
    let is_recorded = ended.complaints.contains("recorded to");
    ensure!(
        is_recorded,
        "the recorder does not say that it has recorded"
    );
    ensure!(
        project.join(NOTES).is_file(),
        "the agent has not written {NOTES}"
    );
    telling.remark(format!(
        "the agent's own exit code; it has written {NOTES}, which the client had allowed"
    ));
    stage.heard = essence(&ended, &project);
    Ok(())
}

fn verify(stage: &mut Stage, telling: &mut Telling) -> anyhow::Result<()> {
    let ran = stage.run(telling, (Place::Project, &["verify", "../demo.cassette"]))?;
    expect_code(ran.code, 0)?;
    let arguments = ["show", "--no-times", "../demo.cassette"];
    let ran = stage.workplace.run(Place::Project, &arguments)?;
    let lines: Vec<String> = ran.output.lines().map(str::to_owned).collect();
    let asked = lines.iter().position(|line| line.contains(APPROVAL));
    let ((first, last), count) = (SHOWN, lines.len());
    let begin = asked.context("the approval is not shown")?;
    let end = count.saturating_sub(last);
    let shown = lines.into_iter().enumerate();
    let shown = shown.filter(|(at, _)| *at >= end || (begin..begin + first).contains(at));
    let shown = shown.map(|(_, line)| line).collect();
    telling.part_of_command(Place::Project, &ran, shown);
    expect_code(ran.code, 0)?;
    let directory = stage.workplace.directory().display().to_string();
    ensure!(
        !ran.output.contains(&directory),
        "the directory of this machine is shown"
    );
    Ok(())
}

fn replay(stage: &mut Stage, telling: &mut Telling) -> anyhow::Result<()> {
    let elsewhere = stage.workplace.place(Place::Elsewhere);
    let (mut client, typed) = stage.replaying("../demo.cassette")?;
    let talked = Thread::begin(&mut client, &elsewhere)
        .and_then(|mut thread| thread.whole(TASK, Probing::LeftOut));
    let ended = end(client, talked, (telling, Place::Elsewhere, typed))?;
    expect_code(ended.code, i32::from(BROKEN))?;
    let complains = ended.complaints == COMPLAINT;
    ensure!(complains, "it does not complain as the agent did");
    let heard = essence(&ended, &elsewhere);
    let mut both = heard.iter().zip(&stage.heard);
    if let Some((heard, recorded)) = both.find(|(heard, recorded)| heard != recorded) {
        anyhow::bail!("it says {heard} where the agent said {recorded}");
    }
    let (count, recorded) = (heard.len(), stage.heard.len());
    ensure!(
        count == recorded,
        "it says {count} things where the agent said {recorded}"
    );
    ensure!(
        !elsewhere.join(NOTES).exists(),
        "somebody has written {NOTES}"
    );
    telling.remark(format!(
        "the same {count} messages and exit code, without {PROBE}; nobody writes {NOTES}"
    ));
    Ok(())
}

fn mismatch(stage: &mut Stage, telling: &mut Telling) -> anyhow::Result<()> {
    let elsewhere = stage.workplace.place(Place::Elsewhere);
    let (mut client, typed) = stage.replaying("../demo.cassette")?;
    let talked = Thread::begin(&mut client, &elsewhere)
        .and_then(|mut thread| thread.whole("Take two notes", Probing::LeftOut));
    // It hears no answer to that.
    let stopped = talked.err().map(|_| ()).context("nobody has noticed");
    let ended = end(client, stopped, (telling, Place::Elsewhere, typed))?;
    expect_code(ended.code, MISMATCH)?;
    let differs = "expected \"Take a note\", found \"Take two notes\"";
    ensure!(
        ended.complaints.contains(differs),
        "it does not say what differs"
    );
    Ok(())
}

fn recover(stage: &mut Stage, telling: &mut Telling) -> anyhow::Result<()> {
    let project = stage.workplace.place(Place::Project);
    let (mut command, typed) = stage.workplace.recording(&["-o", "../killed.cassette"]);
    let mut client = Client::start(&mut command, Ids::Numbers)?;
    let talked = Thread::begin(&mut client, &project)
        .and_then(|mut thread| thread.up_to_the_approval())
        .and_then(|()| client.kill());
    let ended = end(client, talked, (telling, Place::Project, typed))?;
    ensure!(ended.code != Some(0), "the recorder has survived");
    let ran = stage
        .workplace
        .run(Place::Project, &["verify", "../killed.cassette"])?;
    // The verdict in full would tell more than is of interest here.
    let found = ran.output.lines().skip(1).take(1);
    let found = found.map(|line| line.trim_start().to_owned()).collect();
    telling.part_of_command(Place::Project, &ran, found);
    expect_code(ran.code, FOUND)?;
    ensure!(
        ran.output.contains("incomplete"),
        "it does not say that it is incomplete"
    );
    let arguments = ["recover", "../killed.cassette", "../recovered.cassette"];
    let ran = stage.run(telling, (Place::Project, &arguments))?;
    expect_code(ran.code, 0)?;

    let recorded = essence(&ended, &project);
    let elsewhere = stage.workplace.place(Place::Elsewhere);
    let (mut client, typed) = stage.replaying("../recovered.cassette")?;
    let talked =
        Thread::begin(&mut client, &elsewhere).and_then(|mut thread| thread.up_to_the_approval());
    let ended = end(client, talked, (telling, Place::Elsewhere, typed))?;
    expect_code(ended.code, 0)?;
    let heard = essence(&ended, &elsewhere);
    ensure!(
        heard == recorded,
        "it says {heard:?} where the agent said {recorded:?}"
    );
    telling.remark(format!(
        "all {} messages that were heard before",
        heard.len()
    ));
    Ok(())
}

fn secrets(stage: &mut Stage, telling: &mut Telling) -> anyhow::Result<()> {
    for (options, cassette) in [
        (&[][..], "../key.cassette"),
        (&["--redact-secrets"], "../clean.cassette"),
    ] {
        let options = [options, &["-o", cassette]].concat();
        let (mut command, typed) = stage.workplace.recording(&options);
        let mut client = Client::start(command.env(KEY, SECRET), Ids::Numbers)?;
        let project = stage.workplace.place(Place::Project);
        let talked =
            Thread::begin(&mut client, &project).and_then(|mut thread| thread.about_the_key());
        let ended = end(
            client,
            talked,
            (telling, Place::Project, format!("{KEY}=… {typed}")),
        )?;
        expect_code(ended.code, 0)?;
        let heard = essence(&ended, &project).concat();
        ensure!(
            heard.contains(SECRET),
            "the client has not heard what the agent said"
        );
        ensure!(
            ended.complaints.contains(KEY),
            "it does not say that the key was told"
        );
        let ran = stage
            .workplace
            .run(Place::Project, &["show", "--raw", cassette])?;
        ensure!(!ran.output.contains(SECRET), "the key is on the tape");
    }
    let arguments = ["show", "--no-times", "--grep", KEY, "../clean.cassette"];
    let ran = stage.run(telling, (Place::Project, &arguments))?;
    let token = format!("${{REDACTED:{KEY}}}");
    ensure!(ran.output.contains(&token), "{token} is not on the tape");
    Ok(())
}

/// Waits for the end of a client's process, tells of it, and then of what the client
/// could not do.
fn end(
    client: Client,
    talked: anyhow::Result<()>,
    (telling, place, typed): (&mut Telling, Place, String),
) -> anyhow::Result<Ended> {
    let ended = client.finish()?;
    let ran = Ran {
        typed,
        code: ended.code,
        output: ended.complaints.clone(),
    };
    telling.command(place, &ran);
    talked.map(|()| ended)
}

fn expect_code(code: Option<i32>, expected: i32) -> anyhow::Result<()> {
    let found = code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
    ensure!(
        code == Some(expected),
        "it ended with {found}, not with exit code {expected}"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_whose_act_fails_is_told_as_failed() {
        let workplace = Workplace::make(None).unwrap();
        let directory = workplace.directory().to_owned();
        let mut stage = Stage::new(workplace);
        let step = Step {
            name: "x",
            title: "y",
            act: |_, _| expect_code(Some(3), 0),
        };
        let told = step.take(&mut stage).to_string();
        assert_eq!(
            told,
            "x: y\n  FAILED: it ended with exit code 3, not with exit code 0"
        );
        stage.into_workplace().leave().unwrap();
        assert!(!directory.exists());
    }
}
