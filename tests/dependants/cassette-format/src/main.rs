//! A host whose agent is scripted.

use std::error::Error;

use cassette_format::json::{Span, as_u64};
use cassette_format::process::{
    Frame, Launch, LaunchSpec, MemoryTransport, ProcessTransport, Script,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let agent = MemoryTransport::scripted([Script::new().expect(b"ping\n").stdout(b"pong\n")]);
    let launch = Launch::from(LaunchSpec::new(["agent"]));
    let connection = agent.start(launch).await?;
    connection.send(b"ping\n").await?;
    assert_eq!(connection.recv().await?, Some(Frame::stdout("pong\n")));
    connection.close().await?;
    let number = b"18446744073709551615";
    assert_eq!(as_u64(number, Span::whole(number)), Some(u64::MAX));
    println!("cassette-format: a scripted agent answered");
    Ok(())
}
