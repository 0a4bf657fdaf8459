//! A host that brings a fork's transcript home.

use std::error::Error;
use std::fs;

use cassette_format::descriptor::{
    Descriptor, Dialect, MessageFraming, Registry, TargetId, TranscriptLayout,
};
use fork_state::{Binder, DirectoryStore, ForkRequest, Outcome, RuntimeStore};

fn main() -> Result<(), Box<dyn Error>> {
    let state = std::env::temp_dir().join(format!("uses-fork-state-{}", std::process::id()));
    fs::create_dir(&state)?;
    let mut own = Descriptor::new(
        "own".parse()?,
        TargetId::named("local:own"),
        MessageFraming::Lines,
        Dialect::JsonRpc,
    );
    own.session_home = Some("own-home".into());
    own.transcripts = Some(TranscriptLayout::Rollouts {
        directories: vec!["sessions".into()],
        traces: Vec::new(),
    });
    let mut providers = Registry::new();
    providers.register(own)?;

    let store = DirectoryStore::new(&state)?;
    let home = store.home(&"session-1".parse()?, "own-home")?;
    let sessions = home.path().join("sessions");
    fs::create_dir_all(&sessions)?;
    fs::write(
        sessions.join("rollout-t2.jsonl"),
        "{\"type\":\"session_meta\",\"payload\":{\"id\":\"t2\"}}\n",
    )?;
    let request = ForkRequest {
        provider: "own".parse()?,
        workspace: "app".into(),
        source_session: "session-1".parse()?,
        target_session: "session-2".parse()?,
        source_provider_session: "t1".parse()?,
        target_provider_session: "t2".parse()?,
        target_cwd: None,
    };
    let binder = Binder::new(&store, &providers);
    assert_eq!(binder.bind(&request)?.outcome, Outcome::Copied);
    fs::remove_dir_all(&state)?;
    println!("fork-state: a transcript was brought home");
    Ok(())
}
