//! A host that records a scripted agent of its own kind.

use std::error::Error;

use cassette_format::descriptor::{Descriptor, Dialect, MessageFraming, Registry, TargetId};
use cassette_format::process::{
    Launch, LaunchSpec, MemoryTransport, ProcessTransport, Script, SessionContext,
};
use cassette_format::store::{ReadOptions, Tape};
use cassette_record::{RecordOptions, Recorder};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::temp_dir().join(format!("uses-cassette-record-{}", std::process::id()));
    let mut registry = Registry::new();
    registry.register(Descriptor::new(
        "own".parse()?,
        TargetId::named("local:own"),
        MessageFraming::Lines,
        Dialect::JsonRpc,
    ))?;
    let agent = MemoryTransport::scripted([Script::new().expect(b"{}\n").stdout(b"[]\n")]);
    let recorder = Recorder::create(&dir, registry.clone(), RecordOptions::default())?;
    let session = SessionContext::new("own".parse()?, "session-1".parse()?);
    let launch = Launch::for_session(LaunchSpec::new(["own"]), session);
    let connection = recorder.wrap(agent).start(launch).await?;
    connection.send(b"{}\n").await?;
    connection.recv().await?;
    connection.close().await?;
    recorder.finish()?;

    let options = ReadOptions::default().for_providers(registry.providers());
    let tape = Tape::open(&dir, &options)?;
    assert_eq!(tape.chunks().len(), 2);
    std::fs::remove_dir_all(&dir)?;
    println!("cassette-record: recorded, and read again");
    Ok(())
}
