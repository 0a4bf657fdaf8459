//! A test that plays a cassette it made by hand.

use std::error::Error;

use cassette_format::descriptor::Registry;
use cassette_format::schema::{CassetteStatus, FramesDigest, Manifest, TapeLimits};
use cassette_format::store::{CassetteDir, ReadOptions, Tape, replace_manifest};
use cassette_replay::{PlayOptions, Player};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let dir = std::env::temp_dir().join(format!("uses-cassette-replay-{}", std::process::id()));
    let cassette = CassetteDir::new(&dir);
    drop(cassette.create_frames()?);
    let mut manifest = Manifest::incomplete(TapeLimits::default());
    manifest.status = CassetteStatus::Complete;
    manifest.frames_sha256 = FramesDigest::from_recorded(
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    replace_manifest(&cassette, &manifest)?;

    let tape = Tape::open(&dir, &ReadOptions::default())?;
    let player = Player::new(tape, Registry::new(), PlayOptions::fast_forward())?;
    player.verify_complete()?;
    std::fs::remove_dir_all(&dir)?;
    println!("cassette-replay: an empty cassette was played");
    Ok(())
}
