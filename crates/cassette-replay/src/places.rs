//! Where a message probably stands among those of a turn that may come in any order.

use std::collections::{HashMap, VecDeque};

use crate::expected::ExpectedMessage;

/// The numbers of messages by a hash of what they say, in their order. Messages that were
/// taken out meanwhile may still be there.
#[derive(Debug, Default)]
pub(crate) struct Places {
    by_hash: HashMap<u64, VecDeque<u64>>,
    /// Up to this number all are there.
    known: u64,
}

impl Places {
    /// The place among `messages`, which are in the order of their numbers, of the first one
    /// with this hash.
    pub(crate) fn find(
        &mut self,
        messages: &VecDeque<ExpectedMessage>,
        sought: u64,
        hash: impl Fn(&[u8]) -> u64,
    ) -> Option<usize> {
        let fresh = messages.partition_point(|message| message.number <= self.known);
        for message in messages.range(fresh..) {
            let numbers = self.by_hash.entry(hash(&message.content)).or_default();
            numbers.push_back(message.number);
            self.known = message.number;
        }
        let numbers = self.by_hash.get_mut(&sought)?;
        while let Some(number) = numbers.front() {
            let at = messages.partition_point(|message| message.number < *number);
            if messages.get(at).is_some_and(|it| it.number == *number) {
                return Some(at);
            }
            numbers.pop_front();
        }
        self.by_hash.remove(&sought);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: u64, content: &str) -> ExpectedMessage {
        ExpectedMessage {
            number,
            content: content.as_bytes().to_vec(),
            first: 0,
            last: 0,
            is_alone: true,
        }
    }

    fn length(content: &[u8]) -> u64 {
        content.len() as u64
    }

    #[test]
    fn of_equal_messages_the_first_that_is_left_is_found() {
        let mut places = Places::default();
        let mut messages: VecDeque<_> = [(1, "a"), (2, "bb"), (3, "c")]
            .map(|(number, content)| message(number, content))
            .into();
        let find =
            |places: &mut Places, messages: &_, sought| places.find(messages, sought, length);
        assert_eq!(find(&mut places, &messages, 1), Some(0));
        assert_eq!(find(&mut places, &messages, 2), Some(1));
        messages.pop_front();
        assert_eq!(find(&mut places, &messages, 1), Some(1));
        messages.push_back(message(4, "d"));
        messages.remove(1);
        assert_eq!(find(&mut places, &messages, 1), Some(1));
        messages.clear();
        assert_eq!(find(&mut places, &messages, 1), None);
        assert_eq!(find(&mut places, &messages, 9), None);
    }
}
