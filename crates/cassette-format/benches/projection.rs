//! Nanoseconds a byte of making messages portable and putting them back,
//! beside SHA-256 of the same bytes.
//!
//! `cargo bench -p cassette-format --bench projection`. The two are measured by
//! turns, so that a slow spell of the machine meets both.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Instant;

use cassette_format::descriptor::{
    AccountRead, Descriptor, Dialect, MessageFraming, Spelling, TargetId,
};
use cassette_format::portable::{
    Audit, Direction, FreeText, HomeTokens, Projection, Resolution, RootSources, Roots, Rules,
};
use cassette_format::schema::ProviderId;
use sha2::{Digest, Sha256};

const ROUNDS: usize = 31;
const BYTES_A_ROUND: usize = 2 << 20;
const TOKEN: &str = "${SESSION_CWD:session-1:1}";

fn main() {
    println!(
        "{:<30} {:<24} {:>7} {:>7} {:>7} {:>6}",
        "input", "operation", "min", "median", "sha256", "ratio"
    );
    for (input, messages) in inputs() {
        for (operation, run) in operations() {
            let (ours, hash) = measure(&messages, run);
            println!(
                "{input:<30} {operation:<24} {:>7.3} {:>7.3} {:>7.3} {:>6.2}",
                ours[0],
                ours[ROUNDS / 2],
                hash[ROUNDS / 2],
                ours[ROUNDS / 2] / hash[ROUNDS / 2],
            );
        }
    }
}

type Operation = Box<dyn FnMut(&[u8]) -> usize>;

fn operations() -> Vec<(&'static str, Operation)> {
    let plain = descriptor(&[]);
    let spelled = descriptor(&[
        Spelling::ObjectKeys,
        Spelling::FileUris,
        Spelling::CwdSlug,
        Spelling::PrivatePrefix,
    ]);
    let free = Rules {
        free_text: FreeText::Mapped,
        ..Rules::default()
    };
    let resolution = Resolution::new(
        &spelled,
        &roots(&spelled),
        (TOKEN, "/home"),
        &Rules::default(),
    );
    let audit = Audit::new(&spelled, &Rules::default());
    vec![
        ("project", project(&plain, Rules::default())),
        ("project, spellings", project(&spelled, Rules::default())),
        ("project, free text too", project(&spelled, free)),
        (
            "resolve",
            Box::new(move |bytes| resolution.message(bytes).bytes.len()),
        ),
        (
            "audit",
            Box::new(move |bytes| usize::from(audit.message(bytes).is_ok())),
        ),
    ]
}

fn project(descriptor: &Descriptor, rules: Rules) -> Operation {
    let mut projection = Projection::new(descriptor, roots(descriptor), rules);
    Box::new(move |bytes| {
        let projected = projection.message(Direction::Inbound, bytes);
        projected.map_or(0, |projected| projected.len())
    })
}

fn descriptor(spellings: &[Spelling]) -> Descriptor {
    let further = ["filePath", "file_path", "additionalDirectories", "uri"];
    Descriptor {
        credential_methods: vec!["account/login/start".into()],
        account_read: Some(AccountRead {
            method: "account/read".into(),
            pointer: "/account/email".into(),
        }),
        path_fields: further.map(str::to_owned).to_vec(),
        spellings: spellings.iter().copied().collect::<BTreeSet<_>>(),
        ..Descriptor::new(
            ProviderId::from_recorded("bench"),
            TargetId::named("local:bench"),
            MessageFraming::Lines,
            Dialect::JsonRpc,
        )
    }
}

fn roots(descriptor: &Descriptor) -> Roots {
    let sources = RootSources {
        variables: &[("HOME", "/home/ada")],
        cwd: Some("/home/ada/project"),
        ..RootSources::default()
    };
    Roots::new(descriptor, &sources, TOKEN, HomeTokens::Shared)
}

/// Sorted nanoseconds a byte of `run` over each message, and of SHA-256.
fn measure(messages: &[Vec<u8>], mut run: Operation) -> (Vec<f64>, Vec<f64>) {
    let total: usize = messages.iter().map(Vec::len).sum();
    let repeat = (BYTES_A_ROUND / total).max(1);
    let mut hash = |bytes: &[u8]| usize::from(Sha256::digest(bytes)[0]);
    let timed = |operation: &mut dyn FnMut(&[u8]) -> usize| {
        let start = Instant::now();
        for _ in 0..repeat {
            for message in messages {
                black_box(operation(black_box(message)));
            }
        }
        start.elapsed().as_nanos() as f64 / (repeat * total) as f64
    };
    let (mut ours, mut hashes) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(timed(&mut run));
        hashes.push(timed(&mut hash));
    }
    ours.sort_by(f64::total_cmp);
    hashes.sort_by(f64::total_cmp);
    (ours, hashes)
}

fn inputs() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let several = |directory: &str| (0..1_700).map(|id| message(id, directory)).collect();
    vec![
        ("600 B, nothing to change", vec![message(1, "src")]),
        ("600 B, three paths", vec![message(1, "/home/ada/project")]),
        ("1 MB of such, nothing", several("src")),
        ("1 MB of such, three paths", several("/home/ada/project")),
        ("1 MB of deltas of 250 B", (0..4_000).map(delta).collect()),
        ("1 MB one string", vec![one_string()]),
    ]
}

fn message(id: usize, directory: &str) -> Vec<u8> {
    format!(
        concat!(
            r#"{{"jsonrpc":"2.0","id":{},"method":"session/update","params":{{"sessionId":"#,
            r#""0d3c5d1e-5b8a-4f0e-9a55-1f1f3f0d7c11","cwd":"{}","update":{{"#,
            r#""sessionUpdate":"tool_call_update","toolCallId":"call_001","status":"completed","#,
            r#""kind":"edit","rawInput":{{"path":"{}/src/main.rs","limit":200,"#,
            r#""offset":null,"force":false}},"content":[{{"type":"content","content":{{"type":"#,
            r#""text","text":"fn main() {{\n    println!(\"hello\");\n}}\n"}}}},{{"type":"diff","#,
            r#""path":"{}/src/lib.rs","oldText":null,"newText":"pub mod a;\n"}}],"#,
            r#""usage":{{"input":1204,"output":88,"cost":0.0123}}}}}}}}"#,
        ),
        id, directory, directory, directory
    )
    .into_bytes()
}

fn delta(id: usize) -> Vec<u8> {
    format!(
        concat!(
            r#"{{"method":"item/agentMessage/delta","params":{{"threadId":"#,
            r#""0199a6a2-5f5c-7d51-a0f4-6c8f6a3c9a11","turnId":"0199a6a2-5f9e-7c33-9a3e-2d4f","#,
            r#""itemId":"msg_0a5f3c","delta":"a few words that the model says, "}},"#,
            r#""emittedAtMs":17{}}}"#,
        ),
        id
    )
    .into_bytes()
}

fn one_string() -> Vec<u8> {
    let text = "let total = items.len() + 1; // as in src/main.rs  ".repeat(20_000);
    format!(r#"{{"method":"x","params":{{"text":"{text}"}}}}"#).into_bytes()
}
