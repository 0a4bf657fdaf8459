//! What is told through `tracing`.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};

use cassette_format::process::{Launch, ProcessConnection as _, SessionContext};
use process_local::spawn;
use tracing::field::{Field, Visit};
use tracing::span;
use tracing::{Event, Metadata, Subscriber};

use crate::agent::{hear, options, spec, within};

/// Keeps every event as a line.
#[derive(Debug, Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        if event.metadata().target().starts_with("process_local") {
            self.0.lock().unwrap().push(line.0);
        }
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

impl Lines {
    /// What is told while the work is done on this thread.
    fn told_during<T>(work: impl Future<Output = T>) -> Vec<String> {
        let lines = Self::default();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        tracing::subscriber::with_default(lines.clone(), || runtime.block_on(within(work)));
        lines.0.lock().unwrap().clone()
    }
}

#[test]
fn a_start_says_who_what_and_where_and_no_value_but_that_of_path() {
    let launch = spec("say hush-argument exit 7")
        .in_directory("/")
        .with_variable("PATH", "/a:/b:/c:/d:/e:/f:/g")
        .with_variable("API_KEY", "hush-key")
        .with_variable("https_proxy", "http://hush:hush@proxy");
    let session = SessionContext::new("codex".parse().unwrap(), "session-1".parse().unwrap());

    let told = Lines::told_during(async {
        let agent = spawn(Launch::for_session(launch, session), options()).unwrap();
        hear(&agent).await;
        agent.close().await.unwrap();
    });

    let agent = env!("CARGO_BIN_EXE_fake-agent");
    let [start, started, end, close] = &told[..] else {
        panic!("{told:?}")
    };
    let expected = format!(
        "DEBUG message=starting a process provider=codex agent_session=session-1 cwd=\"/\" \
         command={agent:?} resolved_command={agent:?} path_override_entries=7 path_entries=7 \
         path_head=[\"/a\", \"/b\", \"/c\", \"/d\", \"/e\", \"/f\"] proxy=true proxy_source=\"env\""
    );
    assert_eq!(start, &expected);
    assert!(
        started.contains("message=a process started process="),
        "{started}"
    );
    assert!(end.contains("message=a process ended"), "{end}");
    assert!(end.contains("code=7 output=eof discarded_bytes=0"), "{end}");
    assert!(close.contains("message=a process was closed"), "{close}");
    assert!(!told.join("").contains("hush"), "{told:?}");
}

#[test]
fn a_command_that_was_not_found_is_told_too() {
    let launch = cassette_format::process::LaunchSpec::new(["no-such-command-anywhere"]);

    let told = Lines::told_during(async { spawn(launch, options()).map(drop) });

    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("command=\"no-such-command-anywhere\""));
    assert!(!told[0].contains("resolved_command"), "{told:?}");
}
