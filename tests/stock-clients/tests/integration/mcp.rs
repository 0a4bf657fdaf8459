//! The client of `rmcp`.

use std::error::Error;
use std::path::Path;

use cassette_format::process::ProcessTransport as _;
use cassette_replay::PlayOptions;
use rmcp::ClientHandler;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, JsonObject,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, NotificationContext, Peer, RoleClient,
    ServiceExt as _,
};

use rmcp::transport::IntoTransport;

use crate::studio::{Streams, Studio, Told, elsewhere};

const SERVER: &str = env!("CARGO_BIN_EXE_mcp-server");
/// The command of another server of the files below `.`, with a tool `read_file`.
const OTHER_SERVER: &str = "CASSETTE_TEST_MCP_SERVER";

/// A file that is there and one that is not.
const FILES: [&str; 2] = ["notes.txt", "missing.txt"];

/// A client that keeps everything that it is told.
#[derive(Clone)]
struct Reader {
    version: &'static str,
    /// The files that it reads.
    files: &'static [&'static str],
    told: Told,
}

impl ClientHandler for Reader {
    fn get_info(&self) -> ClientConfig {
        let client = Implementation::new("reader", self.version);
        ClientConfig::new(ClientCapabilities::default(), client)
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.told.add(&progress);
    }
}

impl Reader {
    /// Looks for tools, reads its files, and calls a tool that there is none of.
    async fn look_around(
        self,
        lifecycle: ClientLifecycleMode,
        streams: Streams,
        cwd: &Path,
    ) -> Vec<String> {
        let (files, told) = (self.files, self.told.clone());
        let server = self.serve_with_lifecycle(streams, lifecycle).await.unwrap();
        told.add(&server.peer_info().as_deref());
        told.add(&server.list_all_tools().await.unwrap());
        for file in files {
            read(&server, &cwd.join(file), &told).await;
        }
        let refused = server.call_tool(CallToolRequestParams::new("sing")).await;
        told.add(&refused.map_err(|error| error.to_string()));
        server.cancel().await.unwrap();
        told.take()
    }
}

/// What the server says of both files, asked for side by side.
async fn read_both<E, A>(streams: impl IntoTransport<RoleClient, E, A>, cwd: &Path) -> Vec<String>
where
    E: Error + Send + Sync + 'static,
{
    let server = ().serve(streams).await.unwrap();
    let [(one, told), (other, told_too)] = FILES.map(|file| (cwd.join(file), Told::default()));
    tokio::join!(read(&server, &one, &told), read(&server, &other, &told_too));
    server.cancel().await.unwrap();
    [told.take(), told_too.take()].concat()
}

async fn read(server: &Peer<RoleClient>, path: &Path, told: &Told) {
    let mut arguments = JsonObject::new();
    arguments.insert("path".to_owned(), path.to_str().unwrap().into());
    let call = CallToolRequestParams::new("read_file").with_arguments(arguments);
    told.add(&server.call_tool(call).await.unwrap());
}

/// Records a reader in one directory and plays to a newer one in another, at once and in
/// its time; gives what was recorded.
async fn record_and_play(
    studio: Studio,
    lifecycle: ClientLifecycleMode,
    files: &'static [&'static str],
) -> Vec<String> {
    let reader = |version| {
        let (lifecycle, told) = (lifecycle.clone(), Told::default());
        let reader = Reader {
            version,
            files,
            told,
        };
        async move |streams: Streams, cwd: &Path| reader.look_around(lifecycle, streams, cwd).await
    };
    let here = studio.directory("here");
    let recorded = studio.record(&here, reader("1.0")).await;
    for (name, options) in [
        ("at-once", PlayOptions::fast_forward()),
        ("in-its-time", PlayOptions::default()),
    ] {
        let there = studio.directory(name);
        let played = studio.play(options, &there, reader("1.1")).await;
        assert_eq!(played, elsewhere(&recorded, &here, &there));
    }
    recorded
}

#[tokio::test]
async fn a_reader_is_told_by_the_player_what_the_server_told_it_elsewhere() {
    let studio = Studio::new("mcp", [SERVER]);
    let recorded = record_and_play(studio, ClientLifecycleMode::Initialize, &FILES).await;
    // The server, its tools, two files each with its progress, the missing tool.
    assert_eq!(recorded.len(), 7, "{recorded:#?}");
}

#[tokio::test]
async fn a_reader_that_says_who_it_is_with_each_request_may_be_a_newer_one_too() {
    let studio = Studio::new("mcp", [SERVER]);
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    let lifecycle = ClientLifecycleMode::Discover { preferred_versions };
    let recorded = record_and_play(studio, lifecycle, &FILES).await;
    assert_eq!(recorded.len(), 7, "{recorded:#?}");
}

#[tokio::test]
async fn calls_side_by_side_each_get_their_own_answer() {
    let studio = Studio::new("mcp", [SERVER]);
    let here = studio.directory("here");
    let both = async |streams: Streams, cwd: &Path| read_both(streams, cwd).await;
    let recorded = studio.record(&here, both).await;
    let there = studio.directory("there");
    let options = PlayOptions::fast_forward();
    let played = studio.play(options, &there, both).await;
    assert_eq!(played, elsewhere(&recorded, &here, &there));
}

#[tokio::test]
async fn a_client_may_take_the_streams_whole_and_drop_them() {
    let studio = Studio::new("mcp", [SERVER]);
    let here = studio.directory("here");
    let both = async |streams: Streams, cwd: &Path| read_both(streams, cwd).await;
    let recorded = studio.record(&here, both).await;
    let there = studio.directory("there");
    let player = studio.player(PlayOptions::fast_forward());
    let connection = player.start(studio.launch("played", &there)).await.unwrap();
    let played = read_both(connection.into_stdio(), &there).await;
    assert_eq!(played, elsewhere(&recorded, &here, &there));
    player.verify_complete().unwrap();
}

#[tokio::test]
async fn a_server_of_others_is_played_like_ours() {
    let Ok(command) = std::env::var(OTHER_SERVER) else {
        println!("SKIPPED: {OTHER_SERVER} names no server");
        return;
    };
    let studio = Studio::new("mcp", command.split_whitespace());
    // What it says of a missing file names the directory in free text, which stays.
    record_and_play(studio, ClientLifecycleMode::Initialize, &FILES[..1]).await;
}
