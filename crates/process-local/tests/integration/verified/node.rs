//! Scripts by a verified Node.js.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use process_local::{
    EffectiveEnvironment, ExecutableIdentity, LARGEST_SCRIPT, NodeRun, RunError, RunOptions,
    VerifiedNodeRunner, VerifyError, VerifyOptions, identify,
};

use super::environment::installed;
use crate::agent::within;

/// A run of this script.
fn run_of(node: &Path, script: PathBuf) -> NodeRun {
    NodeRun {
        node: node.to_owned(),
        node_identity: identify(node).unwrap(),
        script_identity: identify(&script).unwrap(),
        script,
        arguments: vec!["one".into(), "two".into()],
        limit: NonZeroUsize::new(1000).unwrap(),
        options: RunOptions::default(),
    }
}

fn runner() -> VerifiedNodeRunner {
    VerifiedNodeRunner::new(VerifyOptions::default())
}

async fn said(runner: &VerifiedNodeRunner, run: &NodeRun) -> Result<String, RunError> {
    let said = within(runner.run(run)).await?;
    assert!(said.is_success(), "{said:?}");
    Ok(String::from_utf8(said.bytes).unwrap())
}

#[tokio::test]
async fn a_script_runs_with_its_arguments_and_only_its_output_is_taken() {
    let Some(node) = installed("node") else {
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let script = scratch.path().join("script.js");
    let text = "console.error('aside');\
        console.log(process.argv.slice(2).join(), __filename, process.cwd(), \
        process.env.ADDED, typeof require('fs').readFileSync)";
    std::fs::write(&script, text).unwrap();
    let mut run = run_of(&node, script);
    run.options.environment = EffectiveEnvironment::from_iter([("ADDED", "1")]);

    let said = said(&runner(), &run).await.unwrap();

    assert_eq!(said, "one,two [stdin] / 1 function\n");
}

#[tokio::test]
async fn output_past_the_limit_ends_the_script() {
    let Some(node) = installed("node") else {
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let script = scratch.path().join("script.js");
    std::fs::write(
        &script,
        "setInterval(() => console.log('x'.repeat(100)), 0)",
    )
    .unwrap();

    let error = said(&runner(), &run_of(&node, script)).await.unwrap_err();

    assert!(matches!(error, RunError::Overflow { limit, .. } if limit.get() == 1000));
}

#[tokio::test]
async fn node_is_verified_once_until_the_runner_is_closed() {
    let Some(node) = installed("node") else {
        return;
    };
    let scratch = tempfile::tempdir().unwrap();
    let script = scratch.path().join("script.js");
    std::fs::write(&script, "console.log('said')").unwrap();
    let (runner, mut run) = (runner(), run_of(&node, script));
    assert_eq!(said(&runner, &run).await.unwrap(), "said\n");

    // There is nothing to verify here.
    run.node = scratch.path().join("missing");
    assert_eq!(said(&runner, &run).await.unwrap(), "said\n");

    runner.close().await;
    let error = said(&runner, &run).await.unwrap_err();
    assert!(
        matches!(error, RunError::Verify(VerifyError::NotFound { .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_script_has_sixteen_mebibytes_at_most() {
    let scratch = tempfile::tempdir().unwrap();
    let script = scratch.path().join("script.js");
    let mut text = b"console.log('said')//".to_vec();
    text.resize(usize::try_from(LARGEST_SCRIPT).unwrap() + 1, b'x');
    std::fs::write(&script, &text).unwrap();
    let mut run = run_of(Path::new(env!("CARGO_BIN_EXE_fake-agent")), script.clone());

    let error = said(&runner(), &run).await.unwrap_err();
    let RunError::Verify(VerifyError::TooLarge { size, limit, .. }) = error else {
        panic!("{error:?}")
    };
    assert_eq!((size, limit), (LARGEST_SCRIPT + 1, LARGEST_SCRIPT));

    let Some(node) = installed("node") else {
        return;
    };
    text.pop();
    std::fs::write(&script, &text).unwrap();
    run = run_of(&node, script);
    assert_eq!(said(&runner(), &run).await.unwrap(), "said\n");
}

#[tokio::test]
async fn other_scripts_and_links_do_not_run() {
    let scratch = tempfile::tempdir().unwrap();
    let (script, link) = (scratch.path().join("a.js"), scratch.path().join("b.js"));
    std::fs::write(&script, "console.log('said')").unwrap();
    std::os::unix::fs::symlink(&script, &link).unwrap();
    let mut run = run_of(Path::new(env!("CARGO_BIN_EXE_fake-agent")), script.clone());

    run.script = link;
    let error = said(&runner(), &run).await.unwrap_err();
    assert!(
        matches!(error, RunError::Verify(VerifyError::Link { .. })),
        "{error:?}"
    );

    run.script = script;
    let size = run.script_identity.size();
    run.script_identity = ExecutableIdentity::new(size, "0".repeat(64)).unwrap();
    let error = said(&runner(), &run).await.unwrap_err();
    assert!(
        matches!(error, RunError::Verify(VerifyError::WrongDigest { .. })),
        "{error:?}"
    );

    run.script_identity = ExecutableIdentity::new(size + 1, "0".repeat(64)).unwrap();
    let error = said(&runner(), &run).await.unwrap_err();
    assert!(
        matches!(error, RunError::Verify(VerifyError::WrongSize { .. })),
        "{error:?}"
    );
}
