//! Messages with a byte that is changed, left out or doubled: the judge says what the
//! model says, and whatever it is given it neither panics nor goes on for ever.

use proptest::prelude::*;

use super::model::{Model, plain, trees, written};
use super::side::{Side, TOKEN};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_changed_byte_is_judged_as_the_model_does(
        tree in trees(),
        seed in any::<u64>(),
        (at, byte, how) in (any::<prop::sample::Index>(), 0x20_u8..0x7f, 0..3),
    ) {
        let mut seed = seed;
        let recorded = written(&tree, &mut seed);
        let mut sent = recorded.clone().into_bytes();
        let at = at.index(sent.len());
        match how {
            0 => sent[at] = byte,
            1 => _ = sent.remove(at),
            _ => sent.insert(at, sent[at]),
        }
        let model = std::str::from_utf8(&sent).ok().and_then(Model::read);
        // serde_json refuses lone surrogates, the judge reads them.
        let may_be_lone = recorded.contains("\\ud");
        prop_assume!(model.is_some() || !may_be_lone);
        let same = match (Model::read(&recorded), model) {
            (Some(recorded), Some(sent)) => recorded == sent,
            _ => recorded.as_bytes() == sent,
        };
        // One value may become several, which the model does not read.
        let one = serde_json::Deserializer::from_slice(&sent).into_iter::<serde_json::Value>();
        prop_assume!(one.filter(Result::is_ok).count() <= 1);
        let verdict = plain().judge_bytes(recorded.as_bytes(), &sent);
        let text = String::from_utf8_lossy(&sent);
        prop_assert_eq!(verdict.is_ok(), same, "{}\n{}", recorded, text);
    }

    #[test]
    fn any_bytes_are_judged_and_rewritten(
        a in prop::collection::vec(any::<u8>(), 0..80),
        b in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let side = Side::new();
        prop_assert_eq!(side.judge_bytes(&a, &b).is_ok(), a == b);
        prop_assert!(side.judge_bytes(&a, &a).is_ok());
        let mut matcher = cassette_replay::matching::Matcher::new(side.match_rules());
        if let Some(edits) = matcher.rewrite(&a, &side.known) {
            prop_assert!(edits.apply(&a).is_ok());
        }
    }
}

#[test]
fn a_message_that_is_cut_anywhere_is_refused() {
    let recorded = format!(
        r#"{{"id":1,"method":"turn/start","params":{{"turnId":"é\ud83d\ude00","cwd":"{TOKEN}/a","l":[1.5e3,true,null]}}}}"#
    );
    let side = Side::new();
    for end in 0..recorded.len() {
        let cut = &recorded.as_bytes()[..end];
        let difference = side.judge_bytes(recorded.as_bytes(), cut).unwrap_err();
        assert_eq!(difference.count(), 1, "{end}");
        assert!(side.judge_bytes(cut, recorded.as_bytes()).is_err(), "{end}");
    }
}
