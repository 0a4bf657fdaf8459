//! Going over the messages of a tape: for JSON, and for secrets.

use std::hint::black_box;

use cassette_format::json::Scanner;
use cassette_record::{SecretFilter, Secrets};
use memchr::memmem::Finder;
use serde::de::IgnoredAny;

use crate::case::Case;
use crate::cost::Cost;
use crate::materials::secrets as known_secrets;

/// Our scanner, token by token.
pub(crate) fn tokens(case: &Case) -> anyhow::Result<Cost> {
    over_messages(case, count_tokens)
}

/// The parser that everyone has, told to keep nothing.
pub(crate) fn skip(case: &Case) -> anyhow::Result<Cost> {
    over_messages(case, |message| {
        usize::from(serde_json::from_slice::<IgnoredAny>(message).is_ok())
    })
}

/// Our filter, in each of its forms.
pub(crate) fn secrets(case: &Case) -> anyhow::Result<Cost> {
    let mut secrets = Secrets::new();
    for (name, value) in known_secrets() {
        secrets.add(&name, value)?;
    }
    let filter = SecretFilter::new(&secrets)?;
    over_messages(case, |message| filter.find(message).count())
}

/// The values as they are, each as fast as it goes.
pub(crate) fn needles(case: &Case) -> anyhow::Result<Cost> {
    let needles = finders();
    over_messages(case, |message| count_needles(&needles, message))
}

/// Looks for the secrets as they are.
pub(crate) fn finders() -> Vec<Finder<'static>> {
    let values = known_secrets().map(|(_, value)| value);
    values.map(|it| Finder::new(&it).into_owned()).collect()
}

/// How often each is in a message, in all.
pub(crate) fn count_needles(needles: &[Finder<'_>], message: &[u8]) -> usize {
    let counts = needles.iter().map(|it| it.find_iter(message).count());
    counts.sum()
}

/// The tokens of a message, until it is no JSON.
pub(crate) fn count_tokens(message: &[u8]) -> usize {
    let mut scanner = Scanner::new(message);
    let mut count = 0;
    while let Ok(Some(token)) = scanner.next_token() {
        count += black_box(token).span.len();
    }
    count
}

fn over_messages(case: &Case, mut work: impl FnMut(&[u8]) -> usize) -> anyhow::Result<Cost> {
    let messages = &case.materials()?.messages;
    let (took, count) = Cost::of(|| {
        let counts = messages.iter().map(|message| work(black_box(message)));
        Ok(counts.sum::<usize>())
    })?;
    black_box(count);
    Ok(took)
}
