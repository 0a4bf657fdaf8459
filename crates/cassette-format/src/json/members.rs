//! Walking one container: members of an object, elements of an array.

use super::{Member, ScanError, Scanner, Span, TokenKind, Value};

/// Iterates over the members of the object at `span` of `bytes`, in the order
/// and as often as they were sent, their values skipped.
///
/// Yields nothing where another kind of value stands there; one error, as the
/// last item, where the object is not JSON.
#[must_use]
pub fn members(bytes: &[u8], span: Span) -> Members<'_> {
    let (scanner, error) = enter(bytes, span, TokenKind::BeginObject);
    Members { scanner, error }
}

/// Iterates over the elements of the array at `span` of `bytes`, skipped.
///
/// Yields nothing where another kind of value stands there; one error, as the
/// last item, where the array is not JSON.
#[must_use]
pub fn elements(bytes: &[u8], span: Span) -> Elements<'_> {
    let (scanner, error) = enter(bytes, span, TokenKind::BeginArray);
    Elements { scanner, error }
}

/// The iterator of [`members`].
#[derive(Clone, Debug)]
pub struct Members<'a> {
    scanner: Option<Scanner<'a>>,
    error: Option<ScanError>,
}

/// The iterator of [`elements`].
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    scanner: Option<Scanner<'a>>,
    error: Option<ScanError>,
}

impl Iterator for Members<'_> {
    type Item = Result<Member, ScanError>;

    fn next(&mut self) -> Option<Self::Item> {
        step(&mut self.scanner, &mut self.error, Scanner::next_member)
    }
}

impl Iterator for Elements<'_> {
    type Item = Result<Value, ScanError>;

    fn next(&mut self) -> Option<Self::Item> {
        step(&mut self.scanner, &mut self.error, Scanner::skip_value)
    }
}

/// A scanner just behind the opening bracket, none where it is another value.
fn enter(bytes: &[u8], span: Span, bracket: TokenKind) -> (Option<Scanner<'_>>, Option<ScanError>) {
    let mut scanner = Scanner::within(bytes, span);
    match scanner.next_token() {
        Ok(Some(token)) if token.kind == bracket => (Some(scanner), None),
        Ok(_) => (None, None),
        Err(error) => (None, Some(error)),
    }
}

/// One item; the scanner is given up at the end, so that the iterator stays
/// at its end.
fn step<'a, T>(
    scanner: &mut Option<Scanner<'a>>,
    error: &mut Option<ScanError>,
    read: impl FnOnce(&mut Scanner<'a>) -> Result<Option<T>, ScanError>,
) -> Option<Result<T, ScanError>> {
    if let Some(error) = error.take() {
        return Some(Err(error));
    }
    let item = read(scanner.as_mut()?).transpose();
    if !matches!(item, Some(Ok(_))) {
        *scanner = None;
    }
    item
}

impl std::iter::FusedIterator for Members<'_> {}

impl std::iter::FusedIterator for Elements<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_duplicates_in_order() {
        let bytes = br#" {"a":1, "b":{"a":2} ,"a":[ 3 ]} "#;
        let found: Vec<(&[u8], &[u8])> = members(bytes, Span::whole(bytes))
            .map(|member| member.unwrap())
            .map(|member| (member.key.text(bytes), member.value.span.text(bytes)))
            .collect();
        let expected: [(&[u8], &[u8]); 3] = [
            (br#""a""#, b"1"),
            (br#""b""#, br#"{"a":2}"#),
            (br#""a""#, b"[ 3 ]"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn other_kinds_have_neither_members_nor_elements() {
        let bytes = b"[[],{},1]";
        let texts: Vec<&[u8]> = elements(bytes, Span::whole(bytes))
            .map(|value| value.unwrap().span.text(bytes))
            .collect();
        assert_eq!(texts, [&b"[]"[..], b"{}", b"1"]);
        assert_eq!(members(bytes, Span::whole(bytes)).count(), 0);
        assert_eq!(elements(b"{}", Span::new(0, 2)).count(), 0);
        assert_eq!(elements(b"", Span::new(0, 0)).count(), 0);
    }

    #[test]
    fn members_end_after_an_error() {
        let bytes = br#"{"a":1,"b"}"#;
        let mut members = members(bytes, Span::whole(bytes));
        assert!(members.next().unwrap().is_ok());
        assert_eq!(members.next().unwrap().unwrap_err().offset, 10);
        assert_eq!(members.next(), None);
    }
}
