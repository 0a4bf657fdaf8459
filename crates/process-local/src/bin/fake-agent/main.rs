//! A process that behaves as its arguments say, for the tests of this crate.
//!
//! The arguments are done in order, for instance `ignore-term hold-pipes exit 7`:
//!
//! | argument | what it does |
//! | --- | --- |
//! | `say TEXT` | writes TEXT and a line end |
//! | `say-id` | writes its own process id and a line end |
//! | `say-environment` | writes its variables, sorted, a line each |
//! | `say-directory` | writes its working directory and a line end |
//! | `echo` | copies its input to its output until the input ends |
//! | `count` | reads its input to the end and writes how many bytes that were |
//! | `await-eof` | reads its input to the end |
//! | `burst N` | writes N bytes |
//! | `errors N` | writes N bytes to standard error |
//! | `one-byte-writes N` | writes N bytes, each by a call of its own |
//! | `write-forever` | writes without end |
//! | `ignore-term` | SIGTERM no longer ends it |
//! | `say-request` | writes `ready` and a line end, waits for SIGINT, SIGTERM, SIGHUP or SIGQUIT, and writes the name of that and a line end |
//! | `hold-pipes ARGUMENT …` | starts itself with the remaining arguments up to `;`, both outputs shared, and writes the id of that process and a line end |
//! | `hold-input ARGUMENT …` | like `hold-pipes`, and the input is shared too |
//! | `daemonise ARGUMENT …` | starts itself, without pipes, from a process in a session of its own that ends at once, and writes the id of the last one and a line end |
//! | `relay N` | starts itself again and ends, N times over: no id of it is known for long |
//! | `host END ARGUMENT …` | runs itself with the remaining arguments through this crate, writes its id and a line end, reads its input to the end and ends: by `return`, or by `exit` without dropping anything |
//! | `supervised-host END ARGUMENT …` | the same, with itself as supervisor |
//! | `again ARGUMENT …` | runs itself with the remaining arguments, from the file it was started from, and ends with its code |
//! | `verified FILE ARGUMENT …` | runs FILE as it is at this moment, verified, with the remaining arguments through this crate, passes its standard output on and ends |
//! | `supervised-verified FILE ARGUMENT …` | the same, with itself as supervisor |
//! | `supervised-leased FILE ARGUMENT …` | the same again, with the file leased |
//! | `alternate-writes FILE OTHER …` | without end, writes what each of the others holds into FILE |
//! | `alternate-renames FILE OTHER …` | without end, puts a copy of each of the others in the place of FILE |
//! | `say-name` | writes what it was called by and a line end |
//! | `say-descriptors` | writes the numbers of its open descriptors and a line end |
//! | `flee N` | leaves its session, starts itself again and ends at once, N times over |
//! | `chain N ARGUMENT …` | starts N processes, each in a session of its own below the one before; the last one goes on with the arguments |
//! | `supervise HOST ARGUMENT …` | starts a supervisor of itself with the remaining arguments, whose host is `self` or has this number and speaks through the input |
//! | `close-output` | closes both outputs |
//! | `drip N MS` | writes N lines, MS milliseconds before each |
//! | `large-pipe` | has its standard output hold 1 MiB |
//! | `join-parents-group` | leaves its group for that of its parent |
//! | `stop` | stops itself, as SIGSTOP does |
//! | `sleep` | does nothing for ever |
//! | `exit N` | ends with code N |
//! | `die-by-signal` | ends by SIGABRT |
//!
//! At the end of the arguments it exits with code 0.
//!
//! Variables: with `FORGETFUL` it does not serve as a supervisor, with `IN_RUNTIME` it does so
//! inside a runtime, with `HESITANT=DIRECTORY` it waits first, once it has its order: it makes
//! `hesitates` there and goes on when there is `go-on`.

mod alternation;
mod descendants;
mod host;
mod sys;

use std::env;
use std::io::{self, Read as _, Write};
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use process_local::Supervisor;

/// Bytes of `burst` and its like: the low byte of their position.
const PATTERN: usize = 256;

fn main() -> io::Result<ExitCode> {
    if env::var_os("FORGETFUL").is_none() {
        run_if_requested()?;
    }
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "process-local-supervisor-2" => {}
            "exit" => return Ok(ExitCode::from(number::<u8>(&mut arguments)?)),
            "die-by-signal" => std::process::abort(),
            "sleep" => loop {
                thread::park();
            },
            "ignore-term" => sys::ignore_term()?,
            "say-request" => say(sys::end_request(|| say("ready"))?)?,
            "close-output" => sys::close_output()?,
            "hold-pipes" => say(descendants::hold(&mut arguments, Stdio::null())?)?,
            "daemonise" => say(descendants::daemonise(&mut arguments)?)?,
            "in-new-session" => descendants::start_from_new_session(&mut arguments)?,
            "relay" => return descendants::relay(number(&mut arguments)?),
            "verified" | "supervised-verified" | "supervised-leased" => {
                return host::run_verified(&argument, arguments);
            }
            "again" => return descendants::run_again(arguments),
            "alternate-writes" => alternation::write(&mut arguments)?,
            "alternate-renames" => alternation::rename(&mut arguments)?,
            "flee" => return descendants::flee(number(&mut arguments)?),
            "chain" => return descendants::chain(number(&mut arguments)?, arguments),
            "supervise" => {
                let host = arguments.next().unwrap_or_default();
                return descendants::supervise(&host, arguments);
            }
            "host" => return host::host(Supervisor::None, arguments),
            "supervised-host" => return host::host(Supervisor::SelfExe, arguments),
            "stop" => sys::stop()?,
            "large-pipe" => sys::enlarge_output()?,
            "join-parents-group" => sys::join_parents_group()?,
            "hold-input" => say(descendants::hold(&mut arguments, Stdio::inherit())?)?,
            "echo" => echo()?,
            "count" => say(io::copy(&mut io::stdin(), &mut io::sink())?)?,
            "await-eof" => drop(io::copy(&mut io::stdin(), &mut io::sink())?),
            other => write_output(other, &mut arguments)?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// In a runtime if the environment says so, or later.
fn run_if_requested() -> io::Result<()> {
    let is_requested = env::args().nth(1).as_deref() == Some("process-local-supervisor-2");
    if let Some(directory) = env::var_os("HESITANT").filter(|_| is_requested) {
        sys::await_input()?;
        std::fs::write(Path::new(&directory).join("hesitates"), "")?;
        while !Path::new(&directory).join("go-on").exists() {
            thread::sleep(Duration::from_millis(1));
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let inside = env::var_os("IN_RUNTIME").map(|_| runtime.enter());
    process_local::supervisor::run_if_requested();
    drop(inside);
    Ok(())
}

fn write_output(argument: &str, arguments: &mut impl Iterator<Item = String>) -> io::Result<()> {
    match argument {
        "say" => say(arguments.next().unwrap_or_default()),
        "say-id" => say(std::process::id()),
        "say-name" => say(env::args().next().unwrap_or_default()),
        "say-descriptors" => say(sys::descriptors()?),
        "say-directory" => say(env::current_dir()?.display()),
        "say-environment" => say_environment(),
        "burst" => pattern(&mut io::stdout(), 64 * 1024, number(arguments)?),
        "errors" => pattern(&mut io::stderr(), 64 * 1024, number(arguments)?),
        "one-byte-writes" => pattern(&mut io::stdout(), 1, number(arguments)?),
        "drip" => drip(number(arguments)?, number(arguments)?),
        "write-forever" => pattern(&mut io::stdout(), 64 * 1024, u64::MAX),
        other => Err(io::Error::other(format!("unknown argument `{other}`"))),
    }
}

fn number<N: std::str::FromStr>(arguments: &mut impl Iterator<Item = String>) -> io::Result<N> {
    let number = arguments.next().and_then(|text| text.parse().ok());
    number.ok_or_else(|| io::Error::other("a number is missing"))
}

fn say(what: impl std::fmt::Display) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{what}")?;
    output.flush()
}

fn drip(lines: u32, milliseconds: u64) -> io::Result<()> {
    (0..lines).try_for_each(|number| {
        thread::sleep(Duration::from_millis(milliseconds));
        say(number)
    })
}

fn say_environment() -> io::Result<()> {
    let mut variables: Vec<(String, String)> = env::vars().collect();
    variables.sort();
    variables
        .iter()
        .try_for_each(|(name, value)| say(format_args!("{name}={value}")))
}

/// Copies what is there, as it comes.
fn echo() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), sys::unbuffered_stdout()?);
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(()),
            count => output.write_all(&buffer[..count])?,
        }
    }
}

/// Writes `total` bytes of the pattern, `piece` at a time.
fn pattern(output: &mut impl Write, piece: usize, total: u64) -> io::Result<()> {
    let source: Vec<u8> = (0..piece.max(PATTERN) * 2)
        .map(|at| at.to_le_bytes()[0])
        .collect();
    let mut written = 0;
    while written < total {
        let start = usize::from(written.to_le_bytes()[0]);
        let count = usize::try_from(total - written)
            .unwrap_or(usize::MAX)
            .min(piece);
        output.write_all(&source[start..start + count])?;
        output.flush()?;
        written += count as u64;
    }
    Ok(())
}
