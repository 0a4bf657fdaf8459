//! Making messages portable, putting them back and auditing them, in bytes a second.
//!
//! `cargo bench -p cassette-format --bench projection [-- PART OF A NAME]`.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Duration;

use cassette_format::descriptor::{
    AccountRead, Descriptor, Dialect, MessageFraming, Spelling, TargetId,
};
use cassette_format::portable::{
    Audit, Direction, FreeText, HomeTokens, Projection, Resolution, RootSources, Roots, Rules,
};
use cassette_format::schema::ProviderId;
use criterion::{BenchmarkId, Criterion, Throughput};

const TOKEN: &str = "${SESSION_CWD:session-1:1}";

fn main() {
    let criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    let mut criterion = criterion.configure_from_args();
    for (name, mut operation) in operations() {
        let mut group = criterion.benchmark_group(name);
        for (input, messages) in inputs() {
            let bytes: usize = messages.iter().map(Vec::len).sum();
            group.throughput(Throughput::Bytes(bytes as u64));
            group.bench_function(BenchmarkId::from_parameter(input), |bencher| {
                bencher.iter(|| {
                    for message in &messages {
                        black_box(operation(black_box(message)));
                    }
                });
            });
        }
        group.finish();
    }
    criterion.final_summary();
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

fn inputs() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let several = |directory: &str| (0..1_700).map(|id| message(id, directory)).collect();
    vec![
        ("1 MB of 600 B, nothing to change", several("src")),
        ("1 MB of 600 B, three paths", several("/home/ada/project")),
        ("1 MB of 250 B, deltas", (0..4_000).map(delta).collect()),
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
