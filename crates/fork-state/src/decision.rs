//! What is to be done about one transcript: a function of what was read of it
//! on both sides, and of nothing else.

use crate::inspect::TranscriptDigest;

/// What was read of one side's transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Content {
    /// Bytes, decompressed.
    pub(crate) size: u64,
    pub(crate) sha256: TranscriptDigest,
    pub(crate) is_sound: bool,
    /// Digests of beginnings, by their lengths.
    pub(crate) beginnings: Vec<(u64, TranscriptDigest)>,
}

impl Content {
    /// The digest of the first `length` bytes, if there are as many and it was
    /// asked for.
    fn beginning(&self, length: u64) -> Option<TranscriptDigest> {
        if length == self.size {
            return Some(self.sha256);
        }
        let mut beginnings = self.beginnings.iter();
        let (_, digest) = beginnings.find(|(of, _)| *of == length)?;
        Some(*digest)
    }

    /// Whether `other` begins with all of this.
    fn begins(&self, other: &Self) -> bool {
        other.beginning(self.size) == Some(self.sha256)
    }
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The target has exactly this.
    Equal,
    /// The target has more, and begins with this.
    Ahead,
    /// The target has none.
    Copy,
    /// The target has a beginning of it.
    Replace,
    /// The source has none, and the target's is sound.
    TargetOnly,
}

/// Why nothing can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conflict {
    /// Neither side has it.
    Neither,
    /// The source has none, and the target's is damaged.
    DamagedTargetOnly,
    /// The source's is damaged.
    DamagedSource,
    /// Both are sound, and neither begins with the other.
    Diverged,
    /// The target's is damaged, and is no beginning of the source's.
    DamagedDiverged,
}

/// How much of a transcript a fork refers to; `None` is all of it.
pub(crate) type Referred = Option<u64>;

pub(crate) fn decide(
    target: Option<&Content>,
    source: Option<&Content>,
    referred: Referred,
) -> Result<Decision, Conflict> {
    let (target, source) = match (target, source) {
        (None, None) => return Err(Conflict::Neither),
        (Some(target), None) if target.is_sound => return Ok(Decision::TargetOnly),
        (Some(_), None) => return Err(Conflict::DamagedTargetOnly),
        (None, Some(source)) if source.is_sound => return Ok(Decision::Copy),
        (None, Some(_)) => return Err(Conflict::DamagedSource),
        (Some(target), Some(source)) => (target, source),
    };
    let diverged = if target.is_sound {
        Conflict::Diverged
    } else {
        Conflict::DamagedDiverged
    };
    if let Some(length) = referred
        && target.size >= length
        && source.size >= length
    {
        // What comes behind it is the concern of other sessions.
        let ours = target.beginning(length);
        return if ours.is_some() && ours == source.beginning(length) {
            Ok(Decision::Ahead)
        } else {
            Err(diverged)
        };
    }
    if !source.is_sound {
        return Err(Conflict::DamagedSource);
    }
    if target.size == source.size {
        // A sound one and a damaged one are not equal.
        return if target.sha256 == source.sha256 {
            Ok(Decision::Equal)
        } else {
            Err(diverged)
        };
    }
    if target.size > source.size {
        return if target.is_sound && source.begins(target) {
            Ok(Decision::Ahead)
        } else {
            Err(diverged)
        };
    }
    if target.size > 0 && target.begins(source) {
        Ok(Decision::Replace)
    } else {
        Err(diverged)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A transcript of these bytes; sound if it ends with a line feed.
    fn content(bytes: &[u8], cuts: &[u64]) -> Content {
        let beginning = |&length: &u64| {
            let bytes = bytes.get(..usize::try_from(length).ok()?)?;
            Some((length, TranscriptDigest::of(bytes)))
        };
        Content {
            size: bytes.len() as u64,
            sha256: TranscriptDigest::of(bytes),
            is_sound: bytes.last() == Some(&b'\n'),
            beginnings: cuts.iter().filter_map(beginning).collect(),
        }
    }

    /// The rule of the contract, over the bytes themselves.
    fn model(target: Option<&[u8]>, source: Option<&[u8]>) -> Result<Decision, Conflict> {
        let sound = |bytes: &[u8]| bytes.last() == Some(&b'\n');
        match (target, source) {
            (None, None) => Err(Conflict::Neither),
            (None, Some(source)) if sound(source) => Ok(Decision::Copy),
            (Some(target), None) if sound(target) => Ok(Decision::TargetOnly),
            (Some(_), None) => Err(Conflict::DamagedTargetOnly),
            (_, Some(source)) if !sound(source) => Err(Conflict::DamagedSource),
            (Some(target), Some(source)) if target == source => Ok(Decision::Equal),
            (Some(target), Some(source)) if sound(target) && target.starts_with(source) => {
                Ok(Decision::Ahead)
            }
            (Some(target), Some(source)) if !target.is_empty() && source.starts_with(target) => {
                Ok(Decision::Replace)
            }
            (Some(target), Some(_)) if sound(target) => Err(Conflict::Diverged),
            (Some(_), Some(_)) => Err(Conflict::DamagedDiverged),
            (None, Some(_)) => unreachable!("a source is sound or not"),
        }
    }

    fn transcript() -> impl Strategy<Value = Option<Vec<u8>>> {
        let bytes = proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'\n')], 0..6);
        proptest::option::weighted(0.9, bytes)
    }

    proptest! {
        #[test]
        fn decisions_are_those_of_the_bytes(target in transcript(), source in transcript()) {
            let sizes = [&target, &source].map(|it| it.as_ref().map_or(0, |bytes| bytes.len() as u64));
            let of = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| content(bytes, &sizes));
            let decided = decide(of(&target).as_ref(), of(&source).as_ref(), None);
            prop_assert_eq!(decided, model(target.as_deref(), source.as_deref()));
        }

        #[test]
        fn a_parent_is_left_where_as_much_as_is_referred_to_agrees(
            target in transcript(), source in transcript(), length in 0_u64..6,
        ) {
            let at = usize::try_from(length).unwrap();
            let long = |bytes: &Option<Vec<u8>>| bytes.as_ref().is_some_and(|bytes| bytes.len() >= at);
            prop_assume!(long(&target) && long(&source));
            let of = |bytes: &Option<Vec<u8>>| bytes.as_ref().map(|bytes| content(bytes, &[length]));
            let decided = decide(of(&target).as_ref(), of(&source).as_ref(), Some(length));
            let (target, source) = (target.unwrap(), source.unwrap());
            prop_assert_eq!(decided == Ok(Decision::Ahead), target[..at] == source[..at]);
        }
    }
}
