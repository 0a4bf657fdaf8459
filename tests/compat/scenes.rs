//! The conversations whose recordings are golden: between them every kind of chunk, framing and
//! dialect, every field of the manifest, and every token that makes a path portable.

use std::ops::Range;

use cassette_format::process::{ExitCode, Frame};
use cassette_format::schema::{Annotations, Origin, Tool};
use cassette_record::{FoundSecret, SecretOptions};

use crate::scene::{CWD, HOME, Process, Scene, WINDOWS_CWD, WINDOWS_HOME};

/// All scenes.
pub(crate) fn all() -> Vec<Scene> {
    vec![
        acp_turn(),
        codex_tree(),
        claude_print(),
        mcp_batch(),
        lsp_headers(),
        raw_bytes(),
        secret_replaced(),
        nothing_said(),
        windows_paths(),
        windows_forms(),
        verbatim_paths(),
        piece_border(),
    ]
}

fn acp_turn() -> Scene {
    Scene::new("acp-turn", vec![Process::root("acp", "session-1")])
        .host(concat!(
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"#,
            r#""clientCapabilities":{"fs":{"readTextFile":true}}}}"#,
            "\n",
        ))
        .wait(12)
        .frame(Frame::stderr(&b"agent 1.2.3 starts\n"[..]))
        .agent(r#"{"jsonrpc":"2.0","id":0,"result":{"proto"#)
        .wait(3)
        .agent(concat!(r#"colVersion":1,"agentCapabilities":{}}}"#, "\n"))
        .host(concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"#,
            r#""cwd":"/home/dev/projects/demo","mcpServers":[]}}"#,
            "\n",
        ))
        .wait(40)
        .agent(concat!(
            r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}"#,
            "\n",
        ))
        .host(concat!(
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s-1","#,
            r#""prompt":[{"type":"text","text":"Zähle die Dateien in src"}]}}"#,
            "\n",
        ))
        .wait(800)
        .agent(concat!(
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"#,
            r#""sessionUpdate":"tool_call","toolCallId":"t-1","title":"read","locations":"#,
            r#"[{"path":"/home/dev/projects/demo/src/main.rs","line":3}]}}}"#,
            "\n",
            r#"{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"s-1","#,
            r#""path":"\/home\/dev\/projects\/demo\/src\/main.rs"}}"#,
            "\n",
        ))
        .host(concat!(
            r#"{"jsonrpc":"2.0","id":0,"result":{"content":"fn main() {}\n"}}"#,
            "\n",
        ))
        .wait(1)
        .agent(concat!(
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"#,
            r#""sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"}}}}"#,
            "\r\n",
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            "\n",
        ))
        .frame(Frame::exit(ExitCode::new(0)))
}

fn codex_tree() -> Scene {
    let child = Process {
        provider: "codex",
        agent_session: "session-1-child",
        root_session: Some("session-1"),
        directories: (CWD, HOME),
    };
    let hello = concat!(
        r#"{"id":1,"method":"initialize","params":{"clientInfo":{"name":"demo","version":"1"}}}"#,
        "\n",
    );
    let welcome = concat!(
        r#"{"id":1,"result":{"codexHome":"/home/dev/.codex","userAgent":"demo/0"}}"#,
        "\n",
    );
    Scene::new(
        "codex-tree",
        vec![Process::root("codex", "session-1"), child],
    )
    .host(hello)
    .agent(welcome)
    .host_of(1, hello)
    .frame_of(1, Frame::stdout(welcome))
    .wait(5)
    .host(concat!(
        r#"{"id":2,"method":"thread/start","params":{"cwd":"/home/dev/projects/demo/sub"}}"#,
        "\n",
    ))
    .agent(concat!(
        r#"{"id":2,"result":{"thread":{"id":"0193","cwd":"/home/dev/projects/demo/sub"}}}"#,
        "\n",
    ))
    .frame_of(1, Frame::message_only("the child's budget is used up"))
    .frame_of(1, Frame::exit(ExitCode::SIGNALED).with_message("signal 9"))
    .frame(Frame::exit(ExitCode::new(3)))
}

fn claude_print() -> Scene {
    Scene::new(
        "claude-print",
        vec![Process::root("claude-code", "session-1")],
    )
    .host(concat!(
        r#"{"type":"user","message":{"role":"user","content":"Say it."},"session_id":""}"#,
        "\n",
    ))
    .wait(7)
    .agent(concat!(
        r#"{"type":"system","subtype":"init","cwd":"/home/dev/projects/demo","session_id":"c-1"}"#,
        "\n",
    ))
    .agent(concat!(
        r#"{"type":"result","subtype":"success","result":"It.","session_id":"c-1","#,
        r#""total_cost_usd":1e-3}"#,
        "\n",
    ))
    .frame(Frame::exit(ExitCode::new(0)))
}

fn mcp_batch() -> Scene {
    Scene::new("mcp-batch", vec![Process::root("mcp", "tools")])
        .host(concat!(
            r#"[{"jsonrpc":"2.0","id":"a","method":"ping"},"#,
            r#"{"jsonrpc":"2.0","method":"notifications/roots","params":"#,
            r#"{"path":"/home/dev/projects/demo"}}]"#,
            "\n",
        ))
        .agent(concat!(
            r#"[{"jsonrpc":"2.0","id":"a","result":{}}]"#,
            "\n",
            "not JSON, and told as it is\n",
            "\n",
        ))
}

fn lsp_headers() -> Scene {
    let framed =
        |content: &str| format!("Content-Length: {}\r\n\r\n{content}", content.len()).into_bytes();
    let answer = framed(r#"{"jsonrpc":"2.0","id":1,"result":{"path":"/home/dev/projects/demo"}}"#);
    let (head, rest) = answer.split_at(11);
    Scene::new("lsp-headers", vec![Process::root("lsp", "session-1")])
        .host(framed(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootPath":null,"rootUri":"file:///home/dev/projects/demo"}}"#,
        ))
        .agent(head)
        .wait(1)
        .agent(rest)
        .frame(Frame::exit(ExitCode::new(0)))
}

fn raw_bytes() -> Scene {
    let every: Vec<u8> = (0..=255).collect();
    Scene::new("raw-bytes", vec![Process::root("raw", "session-1")])
        .host(every.clone())
        .agent([&every[128..], &[0xC3]].concat())
        .wait(2)
        .agent([0xA4, 0x00, 0xFF])
        .frame(Frame::stderr(&b"\xEF\xBB\xBFhalf a line"[..]))
        .frame(Frame::message_only(
            "Diagnose: \u{1F4FC} \u{2028} \"<&>\" \\",
        ))
        .frame(Frame::exit(ExitCode::new(255)).with_message("said no more"))
}

fn secret_replaced() -> Scene {
    let mut scene = Scene::new("secret-replaced", vec![Process::root("acp", "session-1")])
        .host(concat!(
            r#"{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"s-1","#,
            r#""prompt":[{"type":"text","text":"Use golden-secret-0123456789 for it."}]}}"#,
            "\n",
        ))
        .frame(Frame::stderr(&b"key golden-secret-0123456789 taken\n"[..]))
        .agent(concat!(
            r#"{"jsonrpc":"2.0","id":7,"result":{"stopReason":"end_turn"}}"#,
            "\n",
        ));
    let mut secrets = SecretOptions {
        found: FoundSecret::Replace,
        ..SecretOptions::default()
    };
    secrets
        .values
        .add("AGENT_KEY", "golden-secret-0123456789")
        .unwrap();
    scene.options.secrets = secrets;
    scene.options.annotations = Annotations {
        tool: Some(Tool {
            name: "golden".to_owned(),
            version: "4.0.0".to_owned(),
            unknown: Default::default(),
        }),
        agent_version: Some("1.2.3".to_owned()),
        argv: Some(vec!["agent".to_owned(), "--acp".to_owned()]),
        recorded_at: Some("2026-11-30T12:00:00Z".to_owned()),
        origin: Some(Origin::Recorded),
        ..Annotations::default()
    };
    scene
}

fn nothing_said() -> Scene {
    Scene::new("nothing-said", vec![Process::root("mcp", "session-1")])
}

fn windows_paths() -> Scene {
    let process = Process {
        directories: (WINDOWS_CWD, WINDOWS_HOME),
        ..Process::root("acp", "session-1")
    };
    Scene::new("windows-paths", vec![process])
        .host(concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"#,
            r#""cwd":"C:\\Users\\dev\\projects\\demo","mcpServers":[]}}"#,
            "\n",
        ))
        .agent(concat!(
            r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}"#,
            "\r\n",
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"#,
            r#""sessionUpdate":"tool_call","toolCallId":"t-1","title":"read","locations":"#,
            r#"[{"path":"C:\\Users\\dev\\projects\\demo\\src\\main.rs","line":3},"#,
            r#"{"path":"C:\u005cUsers\u005cdev\u005cprojects\u005cdemo\\a"}]}}}"#,
            "\r\n",
        ))
        .frame(Frame::exit(ExitCode::new(0)))
}

/// The directories as Windows spells them beside the spelling that was given.
fn windows_forms() -> Scene {
    let process = Process {
        directories: (WINDOWS_CWD, WINDOWS_HOME),
        ..Process::root("windows-forms", "session-1")
    };
    Scene::new("windows-forms", vec![process])
        .host(concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"#,
            r#""cwd":"\\\\?\\C:\\Users\\dev\\projects\\demo"}}"#,
            "\n",
        ))
        .agent(concat!(
            r#"{"jsonrpc":"2.0","id":1,"result":{"files":["#,
            r#"{"path":"c:\\Users\\dev\\projects\\demo\\a"},"#,
            r#"{"path":"c:/Users/dev/projects/demo/b"},"#,
            r#"{"path":"C:\\Users/dev\\projects/demo\\c"},"#,
            r#"{"path":"\\\\?\\c:\\Users\\dev\\projects\\demo\\d"},"#,
            r#"{"path":"C:\\Users\\dev\\projects\\other\\..\\demo\\.\\e"},"#,
            r#"{"path":"c:/Users/dev/.config"}],"#,
            r#""changes":{"c:/Users/dev/projects/demo/f":1},"#,
            r#""text":"below c:\\Users\\dev\\projects\\demonstration and D:\\data"}}"#,
            "\r\n",
        ))
        .frame(Frame::exit(ExitCode::new(0)))
}

/// The directories as Windows gives them where links are resolved, with `\\?\` before them.
fn verbatim_paths() -> Scene {
    let process = Process {
        directories: (r"\\?\C:\Users\dev\projects\demo", r"\\?\C:\Users\dev"),
        ..Process::root("acp", "session-1")
    };
    Scene::new("verbatim-paths", vec![process])
        .host(concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"#,
            r#""cwd":"\\\\?\\C:\\Users\\dev\\projects\\demo","mcpServers":[]}}"#,
            "\n",
        ))
        .agent(concat!(
            r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s-1"}}"#,
            "\r\n",
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"#,
            r#""sessionUpdate":"tool_call","toolCallId":"t-1","title":"read","locations":"#,
            r#"[{"path":"\\\\?\\C:\\Users\\dev\\projects\\demo\\src\\main.rs","line":3},"#,
            r#"{"path":"\u005c\u005C?\u005cC:\\Users\\dev\\.config"}]}}}"#,
            "\r\n",
        ))
        .frame(Frame::exit(ExitCode::new(0)))
}

/// A tape of more than the half mebibyte that is read at once; its third line lies across.
fn piece_border() -> Scene {
    Scene::new("piece-border", vec![Process::root("acp", "session-1")])
        .host(concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s-1","#,
            r#""prompt":[{"type":"text","text":"Count."}]}}"#,
            "\n",
        ))
        .agent(counting(0..45_000))
        .wait(5)
        .agent(counting(45_000..55_000))
        .agent(concat!(
            r#"{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}"#,
            "\n",
        ))
        .frame(Frame::exit(ExitCode::new(0)))
}

/// A message with these numbers, eight bytes each.
fn counting(numbers: Range<u32>) -> String {
    let numbers: String = numbers.map(|number| format!("{number:07} ")).collect();
    format!(
        concat!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s-1","update":{{"#,
            r#""sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{}"}}}}}}}}"#,
            "\n",
        ),
        numbers
    )
}
