//! A host that runs a process.

use std::error::Error;

use process_local::{ExitCode, Frame, LaunchSpec, LocalOptions, ProcessConnection, spawn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let cat = spawn(LaunchSpec::new(["cat"]), LocalOptions::default())?;
    cat.send(b"hello\n").await?;
    assert_eq!(cat.recv().await?, Some(Frame::stdout("hello\n")));
    cat.close_input().await?;
    assert_eq!(cat.recv().await?, Some(Frame::exit(ExitCode::new(0))));
    println!("process-local: a process answered and ended");
    Ok(())
}
