//! Rule: what an arm of `select!` waits for loses nothing when another arm is first. A read or write
//! of several steps that is dropped half-way has taken bytes that nobody gets.

use super::rule::{Finding, Rule};
use super::tree::Tree;
use crate::rust::{Token, closing};

pub(crate) const RULE: Rule = Rule {
    name: "select-arms",
    text: "no arm of a `select!` waits for a call that is not cancel safe, such as `read_exact` or \
           `write_all`",
    check,
};

/// Calls of several steps of `tokio::io`, and a send that gives its value up.
const NOT_CANCEL_SAFE: [&str; 9] = [
    "read_exact",
    "read_line",
    "read_to_end",
    "read_to_string",
    "read_until",
    "write_all",
    "write_all_buf",
    "copy_bidirectional",
    "send",
];

/// Where an arm that is first ends the connection, so that the half-written rest has no successor.
const TERMINAL: [&str; 1] = ["crates/process-local/src/input.rs"];

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources_below("crates/") {
        if file.is_test() || TERMINAL.contains(&file.path.as_str()) {
            continue;
        }
        let tokens = &source.production;
        for position in 0..tokens.len() {
            let Some(open) = body(tokens, position) else {
                continue;
            };
            for call in calls(&tokens[open + 1..closing(tokens, open)]) {
                let found = format!("`{}` in an arm", call.text);
                findings.push(Finding::violation(&file.path, call.line, found));
            }
        }
    }
    findings
}

/// The position of the brace of a `select!` that begins here.
fn body(tokens: &[Token], position: usize) -> Option<usize> {
    let is = |ahead: usize, text: &str| {
        let token = tokens.get(position + ahead);
        token.is_some_and(|token| token.is(text))
    };
    (is(0, "select") && is(1, "!") && is(2, "{")).then_some(position + 2)
}

/// The calls in what the arms wait for; what they do then may call anything.
fn calls(tokens: &[Token]) -> Vec<&Token> {
    let mut found = Vec::new();
    let mut position = 0;
    while position < tokens.len() {
        if is_arrow(tokens, position) {
            position = handler_end(tokens, position + 2);
            continue;
        }
        let called = tokens[position..].iter().take(2).map(|it| &it.text);
        if let [name, open] = called.collect::<Vec<_>>().as_slice()
            && open.as_str() == "("
            && NOT_CANCEL_SAFE.contains(&name.as_str())
        {
            found.push(&tokens[position]);
        }
        position += 1;
    }
    found
}

fn is_arrow(tokens: &[Token], position: usize) -> bool {
    tokens[position].is("=") && tokens.get(position + 1).is_some_and(|next| next.is(">"))
}

/// The position behind what an arm does: a block, or an expression up to its comma.
fn handler_end(tokens: &[Token], start: usize) -> usize {
    if tokens.get(start).is_some_and(|token| token.is("{")) {
        return closing(tokens, start) + 1;
    }
    let mut position = start;
    while let Some(token) = tokens.get(position) {
        match token.text.as_str() {
            "(" | "[" | "{" => position = closing(tokens, position) + 1,
            "," => return position + 1,
            _ => position += 1,
        }
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Vec<String> {
        let text = format!("async fn a() {{ tokio::select! {{ {body} }} }}");
        check(&Tree::of(&[("crates/a/src/b.rs", &text)]))
            .into_iter()
            .map(|finding| finding.found)
            .collect()
    }

    #[test]
    fn what_is_not_cancel_safe_is_reported_however_deep_it_stands() {
        let body = "biased; () = stop => {} n = pipe.read_exact(&mut b) => n, \
                    _ = async { out.write_all(b).await }, if open => {}";

        assert_eq!(
            found(body),
            ["`read_exact` in an arm", "`write_all` in an arm"]
        );
    }

    #[test]
    fn what_an_arm_does_when_it_is_first_may_be_anything() {
        let body = "n = pipe.read_buf(&mut b) => out.write_all(f(b, n)).await, \
                    f = c.recv() => { c.send(f).await } () = stop => break,";

        assert_eq!(found(body), [""; 0]);
    }
}
