//! The directory of the demo, and the commands that are run in it.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

/// Variables that programs need to run at all. Nothing else of the user's own goes in:
/// the demo tells the same story everywhere.
const KEPT_VARIABLES: [&str; 6] = [
    "PATH",
    "TMPDIR",
    "TEMP",
    "TMP",
    "SystemRoot",
    "LD_LIBRARY_PATH",
];

/// A place in the directory where commands are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Where things are recorded.
    Project,
    /// Where they are replayed.
    Elsewhere,
}

/// The directory of the demo.
pub(super) struct Workplace {
    directory: PathBuf,
    program: PathBuf,
    is_temporary: bool,
}

/// A command that has run.
pub(super) struct Ran {
    /// As a user would type it.
    pub(super) typed: String,
    /// Its exit code; none if a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) output: String,
}

impl Place {
    /// The name of its directory.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Elsewhere => "elsewhere",
        }
    }
}

impl Workplace {
    /// Makes the directory that the user names, or a temporary one.
    pub(super) fn make(wanted: Option<&Path>) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot find this very program")?;
        let directory = match wanted {
            Some(wanted) => empty(wanted)?,
            None => temporary()?,
        };
        let made = Self {
            // Its real name is what the processes in it see.
            directory: directory.canonicalize()?,
            program,
            is_temporary: wanted.is_none(),
        };
        for name in [
            Place::Project.name(),
            Place::Elsewhere.name(),
            "home",
            "home-elsewhere",
        ] {
            fs::create_dir(made.directory.join(name))
                .with_context(|| format!("cannot make {}", made.directory.join(name).display()))?;
        }
        Ok(made)
    }

    /// The directory.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn place(&self, place: Place) -> PathBuf {
        self.directory.join(place.name())
    }

    /// Whether nobody asked to keep it.
    pub(super) const fn is_temporary(&self) -> bool {
        self.is_temporary
    }

    /// This program with arguments, to be run in a place with a home of its own.
    pub(super) fn command(&self, place: Place, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        let kept = KEPT_VARIABLES.iter();
        let kept = kept.filter_map(|name| Some((name, std::env::var_os(name)?)));
        let home = match place {
            Place::Project => "home",
            Place::Elsewhere => "home-elsewhere",
        };
        command.env_clear().envs(kept);
        command.env("HOME", self.directory.join(home));
        command.current_dir(self.place(place)).args(arguments);
        command
    }

    /// The same with this program as the recorded agent behind them.
    pub(super) fn recording(&self, options: &[&str]) -> (Command, String) {
        let arguments = [&["record", "--provider", "codex"], options, &["--"]].concat();
        let mut command = self.command(Place::Project, &arguments);
        command.arg(&self.program).arg("demo-agent");
        (
            command,
            format!("{} cassette demo-agent", typed(&arguments)),
        )
    }

    /// Runs this program to its end, without input.
    pub(super) fn run(&self, place: Place, arguments: &[&str]) -> anyhow::Result<Ran> {
        let mut command = self.command(place, arguments);
        let output = command.stdin(std::process::Stdio::null()).output()?;
        let said = [output.stdout, output.stderr].concat();
        Ok(Ran {
            typed: typed(arguments),
            code: output.status.code(),
            output: String::from_utf8_lossy(&said).into_owned(),
        })
    }

    /// Removes the directory, unless it is to be kept.
    pub(super) fn leave(self) -> anyhow::Result<()> {
        if !self.is_temporary {
            return Ok(());
        }
        let directory = self.directory;
        fs::remove_dir_all(&directory)
            .with_context(|| format!("cannot remove {}", directory.display()))
    }
}

/// A command line as a user would type it.
pub(super) fn typed(arguments: &[&str]) -> String {
    format!("cassette {}", arguments.join(" "))
}

/// The directory, which may be there but must be empty.
fn empty(wanted: &Path) -> anyhow::Result<PathBuf> {
    let unmade = || format!("cannot make {}", wanted.display());
    fs::create_dir_all(wanted).with_context(unmade)?;
    let is_empty = fs::read_dir(wanted).with_context(unmade)?.next().is_none();
    ensure!(
        is_empty,
        "{} is not empty, --keep takes a new directory",
        wanted.display()
    );
    Ok(wanted.to_owned())
}

/// A new directory among the temporary ones.
fn temporary() -> anyhow::Result<PathBuf> {
    let place = std::env::temp_dir();
    loop {
        let odd = RandomState::new().build_hasher().finish();
        let directory = place.join(format!("cassette-demo-{odd:016x}"));
        match fs::create_dir(&directory) {
            Ok(()) => return Ok(directory),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                let unmade = format!("cannot make {}, --keep DIR says where", directory.display());
                return Err(error).context(unmade);
            }
        }
    }
}
