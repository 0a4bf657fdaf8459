//! Where targets are built and run: the files that they need, and the build itself.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context as _;

use crate::ci::{Invocation, host_target};
use crate::metadata::Metadata;

/// The member with the targets.
const FOLDER: &str = "tests/fuzz";

/// What has the compiler count which edges ran, for libFuzzer; and the checks of a debug build.
const FLAGS: &str = "-Cdebug-assertions -Coverflow-checks -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// The places of a run.
#[derive(Debug)]
pub(crate) struct Workshop {
    root: PathBuf,
    /// Builds, new inputs, findings, logs.
    output: PathBuf,
    host: String,
    /// Where targets make their files: in memory, where the system has such a place.
    scratch: PathBuf,
}

/// What is missing here to build targets.
pub(crate) fn missing_tool() -> Option<String> {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let mut command = Command::new(&compiler);
    command.arg("--version").stdin(Stdio::null());
    let works = command.output().is_ok_and(|output| output.status.success());
    (!works).then(|| {
        format!(
            "no C++ compiler `{}`, which libFuzzer is built with",
            compiler.display()
        )
    })
}

impl Workshop {
    /// Makes the places.
    pub(crate) fn open(metadata: &Metadata) -> anyhow::Result<Self> {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        };
        let scratch = place.join(format!("cassette-fuzz-{}", std::process::id()));
        let workshop = Self {
            root: metadata.root.clone(),
            output: metadata.target.join("fuzz"),
            host: host_target(),
            scratch,
        };
        create(&workshop.scratch)?;
        Ok(workshop)
    }

    /// The names of all targets.
    pub(crate) fn targets(&self) -> anyhow::Result<Vec<String>> {
        let folder = self.root.join(FOLDER).join("fuzz_targets");
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let mut names = Vec::new();
        for entry in entries {
            let path = entry?.path();
            names.extend(path.file_stem().map(|it| it.to_string_lossy().into_owned()));
        }
        names.sort();
        Ok(names)
    }

    /// Builds all targets.
    pub(crate) fn build(&self) -> anyhow::Result<()> {
        let mut flags = std::env::var_os("RUSTFLAGS").unwrap_or_default();
        if !flags.is_empty() {
            flags.push(" ");
        }
        flags.push(FLAGS);
        // With a target named, build scripts and macros go without the flags.
        Invocation::cargo("build --release --package cassette-fuzz --features libfuzzer --bins")
            .arg("--target")
            .arg(&self.host)
            .arg("--target-dir")
            .arg(&self.output)
            .env("RUSTFLAGS", flags)
            .run(&self.root)
    }

    /// The binary of a target.
    pub(crate) fn binary(&self, target: &str) -> PathBuf {
        self.output.join(&self.host).join("release").join(target)
    }

    /// What libFuzzer and its target print.
    pub(crate) fn log(&self, target: &str) -> anyhow::Result<PathBuf> {
        let logs = self.output.join("logs");
        create(&logs)?;
        Ok(logs.join(format!("{target}.txt")))
    }

    /// Where inputs go that break a claim.
    pub(crate) fn findings(&self, target: &str) -> anyhow::Result<PathBuf> {
        let findings = self.output.join("findings").join(target);
        create(&findings)?;
        Ok(findings)
    }

    /// Where a run puts new inputs, and where it begins: those of earlier runs and the committed
    /// ones.
    pub(crate) fn corpora(&self, target: &str) -> anyhow::Result<[PathBuf; 2]> {
        let found = self.output.join("corpus").join(target);
        create(&found)?;
        Ok([found, self.root.join(FOLDER).join("corpus").join(target)])
    }

    /// The option that names the words of a target's language, if it has any.
    pub(crate) fn dictionary(&self, target: &str) -> Option<OsString> {
        let words = self.root.join(FOLDER).join("dictionaries");
        let words = words.join(format!("{target}.dict"));
        let mut option = OsString::from("-dict=");
        option.push(&words);
        words.is_file().then_some(option)
    }

    /// Where targets make their files.
    pub(crate) fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// A path as it is shown: from the root on, where it lies below.
    pub(crate) fn shown<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // A run that ended at a finding leaves files there.
        fs::remove_dir_all(&self.scratch).ok();
    }
}

fn create(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}
