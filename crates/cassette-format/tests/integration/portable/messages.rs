//! Messages made up from a list of choices: odd white space, odd numbers, odd
//! escapes, and paths below given directories.

use cassette_format::json::{Scanner, Token, write_string};
use proptest::prelude::{Strategy, any, prop};

/// Where a message may be spelled in more than one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelled {
    /// Directories stand as they are given, escaped as seldom as possible.
    Plainly,
    /// With escapes and with dots before and in the directory.
    Oddly,
}

/// Directories of a side: a working directory and homes.
pub(crate) fn directories() -> impl Strategy<Value = (String, Vec<String>)> {
    let one = || prop::sample::select(&DIRECTORIES[..]).prop_map(str::to_owned);
    (one(), prop::collection::vec(one(), 0..4))
}

const DIRECTORIES: [&str; 14] = [
    "/work",
    "/work/app",
    "/work/app/sub dir",
    "/work-2",
    "/w/",
    "/home/ada",
    "/home/ada/.agent",
    "/Users/Jürgen/日本",
    "/srv/x//y",
    "/q\"uote\u{7f}",
    r"C:\Users\d e",
    "C:/x",
    "rel/dir",
    "/",
];

/// Choices for [`message`].
pub(crate) fn choices() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..200)
}

/// A message whose path fields hold relative paths and paths below `roots`.
pub(crate) fn message(choices: &[u8], roots: &[String], spelled: Spelled) -> Vec<u8> {
    let mut author = Author {
        choices: choices.iter(),
        roots,
        spelled,
        output: Vec::new(),
    };
    loop {
        author.white();
        author.value(0);
        if !author.choice().is_multiple_of(3) {
            break;
        }
        author.output.push(b' ');
    }
    let ends = [
        "",
        "\n",
        "\r\n",
        "\r",
        " \n",
        " text after it",
        "}\n",
        "\0\n",
    ];
    author.push_one_of(&ends);
    author.output
}

struct Author<'c> {
    choices: std::slice::Iter<'c, u8>,
    roots: &'c [String],
    spelled: Spelled,
    output: Vec<u8>,
}

const WHITE: [&str; 6] = ["", "", "", " ", "\t\r\n ", "\n"];
/// How many of the keys, from the first, hold paths.
const PATH_KEYS: usize = 7;
const KEYS: [&str; 14] = [
    "cwd",
    "cwd",
    "Path",
    " paths ",
    "c\\u0077d",
    "path\\u0073",
    "savedPath",
    "id",
    "method",
    "params",
    "result",
    SIGNATURE,
    "",
    "é",
];
/// What lies below it is never altered, so that no path may stand there.
const SIGNATURE: &str = "signature";
const SCALARS: [&str; 8] = [
    "null",
    "true",
    "-0",
    "1e999",
    "1.50E+2",
    "1234567890123456789012345678901234567890",
    "0.10",
    "false",
];
const TEXTS: [&str; 12] = [
    "",
    "a",
    "\\ud800",
    "\\udc00x",
    "\\ud83d\\ude00",
    "\\/etc\\u0000",
    "é日本",
    "\\\\\\\"\\n",
    "{[,:]}",
    "\\u00E9",
    "in /work/app",
    "~",
];
/// What stands behind a directory, as it is spelled.
const RESTS: [&str; 9] = [
    "",
    "/",
    "/a",
    "/b c/\\ud800.rs",
    "//x",
    "/./x",
    "/y/../z",
    "\\/e\\u0073c",
    "/\\u00e9日",
];

impl Author<'_> {
    fn choice(&mut self) -> usize {
        self.choices.next().copied().map_or(1, usize::from)
    }

    fn push_one_of(&mut self, texts: &[&str]) {
        let text = texts[self.choice() % texts.len()];
        self.output.extend_from_slice(text.as_bytes());
    }

    fn white(&mut self) {
        self.push_one_of(&WHITE);
    }

    fn value(&mut self, depth: usize) {
        match self.choice() % 8 {
            0..=3 if depth < 40 => self.object(depth),
            4 if depth < 40 => self.list(depth),
            5 => self.push_one_of(&SCALARS),
            _ => self.text(),
        }
    }

    fn object(&mut self, depth: usize) {
        self.output.push(b'{');
        for at in 0..self.choice() % 5 {
            if at > 0 {
                self.output.push(b',');
            }
            self.white();
            let at_key = self.choice() % KEYS.len();
            self.output.extend(format!("\"{}\"", KEYS[at_key]).bytes());
            self.white();
            self.output.push(b':');
            self.white();
            match self.choice() % 5 {
                _ if KEYS[at_key] == SIGNATURE => self.text(),
                _ if at_key >= PATH_KEYS => self.value(depth + 1),
                0 if depth < 40 => self.object(depth + 1),
                1 => self.path_list(depth),
                2 => self.push_one_of(&SCALARS),
                _ => self.path(),
            }
            self.white();
        }
        self.output.push(b'}');
    }

    fn list(&mut self, depth: usize) {
        self.output.push(b'[');
        for at in 0..self.choice() % 4 {
            if at > 0 {
                self.output.push(b',');
            }
            self.white();
            self.value(depth + 1);
        }
        self.output.push(b']');
    }

    fn path_list(&mut self, depth: usize) {
        self.output.push(b'[');
        for at in 0..self.choice() % 4 {
            if at > 0 {
                self.output.push(b',');
            }
            match self.choice() % 4 {
                0 if depth < 40 => self.path_list(depth + 1),
                _ => self.path(),
            }
            self.white();
        }
        self.output.push(b']');
    }

    fn text(&mut self) {
        self.output.push(b'"');
        self.push_one_of(&TEXTS);
        self.output.push(b'"');
    }

    fn path(&mut self) {
        let root = self.choice() % (self.roots.len() + 1);
        let Some(root) = self.roots.get(root).cloned() else {
            self.output.extend(b"\"some/where/\\ud800\"");
            return;
        };
        let root = root.trim_end_matches(['/', '\\']).to_owned();
        let odd = self.spelled == Spelled::Oddly;
        let lead = match self.choice() % 4 {
            // A root with doubled separators is not what it is when resolved.
            0 if odd && root.starts_with('/') && !root.contains("//") => "/x/../.",
            _ => "",
        };
        let mut spelled = Vec::new();
        write_string(&mut spelled, &format!("{lead}{root}"));
        spelled.pop();
        if odd && self.choice().is_multiple_of(2) {
            let text = String::from_utf8(spelled).unwrap();
            let text = text.replace('/', "\\/").replace('o', "\\u006F");
            spelled = text.replace("Jü", "J\\u00fc").into_bytes();
        }
        self.output.extend(spelled);
        // What has no name is told by its separator.
        let named = !matches!(root.len(), 0..3) || root.starts_with('/');
        self.push_one_of(if named { &RESTS } else { &RESTS[1..] });
        self.output.push(b'"');
    }
}

/// The tokens of a message up to where it is no JSON.
pub(crate) fn tokens(bytes: &[u8]) -> Vec<Token> {
    let mut scanner = Scanner::new(bytes);
    std::iter::from_fn(|| scanner.next_token().ok().flatten()).collect()
}
