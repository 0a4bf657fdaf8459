//! The headers of a sequence of messages, read in one pass.

use cassette_format::descriptor::Dialect;
use cassette_format::json::{ScanError, Scanner, TokenKind};

use super::header::Header;

/// Reads one value after the other.
#[derive(Debug)]
pub(super) struct Headers<'b> {
    bytes: &'b [u8],
    dialect: Dialect,
    scanner: Scanner<'b>,
}

impl<'b> Headers<'b> {
    pub(super) fn new(dialect: Dialect, bytes: &'b [u8]) -> Self {
        Self {
            bytes,
            dialect,
            scanner: Scanner::new(bytes),
        }
    }

    /// The header of the next value, an empty one where it is no object; `None` at
    /// the end.
    pub(super) fn next(&mut self) -> Result<Option<Header>, ScanError> {
        let Some(token) = self.scanner.next_token()? else {
            return Ok(None);
        };
        let header = match token.kind {
            TokenKind::BeginObject => {
                let scanner = &mut self.scanner;
                let members = std::iter::from_fn(|| scanner.next_member().ok().flatten());
                Header::read(self.dialect, self.bytes, members)
            }
            TokenKind::BeginArray => {
                while self.scanner.skip_value()?.is_some() {}
                Header::default()
            }
            _ => return Ok(Some(Header::default())),
        };
        // The closing bracket, or what stands in its place.
        self.scanner.next_token()?;
        Ok(Some(header))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<Option<String>> {
        let bytes = text.as_bytes();
        let mut headers = Headers::new(Dialect::JsonRpc, bytes);
        let mut ids = Vec::new();
        while let Ok(Some(header)) = headers.next() {
            let id = header.id.map(|id| id.span.text(bytes).to_vec());
            ids.push(id.map(|id| String::from_utf8(id).unwrap()));
        }
        ids
    }

    #[test]
    fn every_value_has_a_header_and_only_objects_say_something() {
        let text = r#"{"id":1} [{"id":2},[]] 3 {"a":{"id":4},"id":5}"#;
        let id = |id: &str| Some(id.to_owned());
        assert_eq!(ids(text), [id("1"), None, None, id("5")]);
    }

    #[test]
    fn what_is_no_json_is_refused_wherever_it_breaks() {
        for text in [
            "{\"id\":1",
            "{\"id\":1]",
            "[1,}",
            "{\"id\":1} x",
            "{\"a\":}",
            "[1",
        ] {
            let mut headers = Headers::new(Dialect::JsonRpc, text.as_bytes());
            let end = std::iter::from_fn(|| match headers.next() {
                Ok(Some(_)) => Some(Ok(())),
                Ok(None) => None,
                Err(error) => Some(Err(error)),
            });
            assert!(end.take(3).any(|it| it.is_err()), "{text}");
        }
    }
}
