//! A line of the tracer: a system call with its arguments and what it gave.

/// A call that succeeded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) result: usize,
}

/// An argument.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// A descriptor, and the path that it is open on: none for the current directory.
    Descriptor(Option<usize>, String),
    /// A string, decoded.
    Text(Vec<u8>),
    /// Anything else as it is.
    Plain(String),
}

impl Call {
    /// The call of a line; `None` if it failed, never ended, or is no call.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let line = line.trim_start();
        let line = line.trim_start_matches(|character: char| character.is_ascii_digit());
        let (name, rest) = line.trim_start().split_once('(')?;
        let mut arguments = Vec::new();
        let mut rest = rest;
        loop {
            rest = rest.trim_start_matches([',', ' ']);
            if let Some(behind) = rest.strip_prefix(')') {
                let result = behind.trim_start().strip_prefix("= ")?;
                let end = result.find(|it: char| !it.is_ascii_digit());
                let result = result[..end.unwrap_or(result.len())].parse().ok()?;
                return Some(Self {
                    name: name.to_owned(),
                    arguments,
                    result,
                });
            }
            let length = length(rest)?;
            arguments.push(Argument::parse(&rest[..length]));
            rest = &rest[length..];
        }
    }

    /// The descriptor at this place, by its number.
    pub(crate) fn descriptor(&self, at: usize) -> Option<usize> {
        match self.arguments.get(at)? {
            Argument::Descriptor(number, _) => *number,
            _ => None,
        }
    }

    /// The text at this place.
    pub(crate) fn text(&self, at: usize) -> &[u8] {
        match &self.arguments[at] {
            Argument::Text(text) => text,
            other => panic!("no text: {other:?}"),
        }
    }

    /// The argument at this place as it is.
    pub(crate) fn plain(&self, at: usize) -> &str {
        match self.arguments.get(at) {
            Some(Argument::Plain(text)) => text,
            _ => "",
        }
    }

    /// The path that a descriptor and a text say together, or a text alone.
    pub(crate) fn path(&self, at: usize) -> String {
        let text = |at| String::from_utf8(self.text(at).to_vec()).unwrap();
        match &self.arguments[at] {
            Argument::Descriptor(_, base) => match text(at + 1) {
                absolute if absolute.starts_with('/') => absolute,
                name => format!("{base}/{name}"),
            },
            _ => text(at),
        }
    }
}

impl Argument {
    fn parse(text: &str) -> Self {
        if let Some(quoted) = text.strip_prefix('"') {
            let quoted = quoted.strip_suffix('"');
            return Self::Text(decoded(quoted.expect("a string in full")));
        }
        let Some((number, path)) = text.split_once('<') else {
            return Self::Plain(text.to_owned());
        };
        let path = decoded(path.trim_end_matches('>'));
        Self::Descriptor(number.parse().ok(), String::from_utf8(path).unwrap())
    }
}

/// Where the first argument ends; `None` if nothing ends it.
fn length(text: &str) -> Option<usize> {
    let (mut nested, mut quoted, mut escaped) = (0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' | b'<' => nested += 1,
            b']' | b'}' | b'>' => nested -= 1,
            b',' | b')' if nested == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// A string as the tracer escapes it.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = text.bytes().peekable();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            decoded.push(byte);
            continue;
        }
        decoded.push(match bytes.next().unwrap() {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'f' => 0x0c,
            b'v' => 0x0b,
            digit @ b'0'..=b'7' => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(digit) = bytes.next_if(|it| (b'0'..=b'7').contains(it)) else {
                        break;
                    };
                    value = value * 8 + u32::from(digit - b'0');
                }
                u8::try_from(value).unwrap()
            }
            other => other,
        });
    }
    decoded
}

#[test]
fn a_line_of_the_tracer_is_taken_apart() {
    let line = r#"123 write(5</tmp/a\74b>, "x\"\n\1772, (", 9) = 7"#;

    let expected = Call {
        name: "write".to_owned(),
        arguments: vec![
            Argument::Descriptor(Some(5), "/tmp/a<b".to_owned()),
            Argument::Text(b"x\"\n\x7f2, (".to_vec()),
            Argument::Plain("9".to_owned()),
        ],
        result: 7,
    };
    assert_eq!(Call::parse(line), Some(expected));
    let failed = r#"openat(AT_FDCWD</w>, "a", O_RDONLY) = -1 ENOENT (No such file or directory)"#;
    assert_eq!(Call::parse(failed), None);
    let opened = Call::parse(r#"9 openat(AT_FDCWD</w>, "a", O_RDONLY) = 3</w/a>"#).unwrap();
    assert_eq!((opened.path(0), opened.result), ("/w/a".to_owned(), 3));
}
