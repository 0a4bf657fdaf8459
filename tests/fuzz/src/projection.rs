//! Making messages portable and putting them back: what was made portable stays so, passes the
//! audit, and comes out the same from any other side.
//!
//! An input is a choice of provider and of rules, then messages, one a line; those that begin
//! with `>` are the host's.

use std::borrow::Cow;
use std::sync::LazyLock;

use cassette_format::descriptor::{Descriptor, Spelling};
use cassette_format::json::{Scanner, TokenKind, decode_string};
use cassette_format::portable::{
    Audit, Direction, FieldClass, FieldClasses, FreeText, HomeTokens, Projection, Resolution,
    RootSources, Roots, Rules,
};
use cassette_format::schema::{CwdToken, LaunchOrdinal};

use crate::cuts::Cuts;

/// Where a side works, and its home.
const HERE: (&str, &str) = ("/work/app", "/home/ada");
const THERE: (&str, &str) = ("/qq7z/zq", "/wq9/xj");

/// What no message may hold that is to come out the same: tokens, and directories of the other
/// side.
const NOT_COMPARED: [&str; 4] = ["${", "qq7z", "wq9", "xj"];

/// One for each choice of provider and rules, made once.
static ALL: LazyLock<Vec<[Sides; 4]>> = LazyLock::new(|| {
    let providers = provider_adapters::builtin();
    let sides = |provider: &Descriptor| std::array::from_fn(|choice| Sides::new(provider, choice));
    providers.iter().map(sides).collect()
});

/// Any bytes.
pub fn projection(data: &[u8]) {
    let mut choices = Cuts::of(data);
    let provider = &ALL[usize::from(choices.byte()) % ALL.len()];
    let sides = &provider[usize::from(choices.below(4))];
    let mut fresh = sides.here.projection.clone();
    for line in choices.rest().split(|byte| *byte == b'\n') {
        let (direction, message) = match line.strip_prefix(b">") {
            Some(message) => (Direction::Outbound, message),
            None => (Direction::Inbound, line),
        };
        match fresh.message(direction, message) {
            Ok(portable) => sides.check(direction, message, &portable),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// What makes a message portable on one side, and what puts it back there.
struct Side {
    projection: Projection,
    resolution: Resolution,
}

impl Side {
    fn new((cwd, home): (&str, &str), descriptor: &Descriptor, rules: &Rules) -> Self {
        let session = "session-1".parse().expect("names a session");
        let token = CwdToken::new(&session, LaunchOrdinal::FIRST);
        let sources = RootSources {
            variables: &[("HOME", home)],
            cwd: Some(cwd),
            ..RootSources::default()
        };
        let roots = Roots::new(descriptor, &sources, token.as_str(), rules.home_tokens);
        let tokens = (token.as_str(), "/fallback");
        Self {
            resolution: Resolution::new(descriptor, &roots, tokens, rules),
            projection: Projection::new(descriptor, roots, rules.clone()),
        }
    }

    /// A message that was portable before is made so again.
    fn check_again(&self, direction: Direction, (message, portable): (&[u8], &[u8])) {
        let mut projection = self.projection.clone();
        let again = projection.message(direction, message);
        let again = again.expect("was portable before");
        assert!(*again == *portable, "{}", again.escape_ascii());
    }

    fn resolved(&self, portable: &[u8]) -> Vec<u8> {
        let resolved = self.resolution.message(portable);
        let mut landings = resolved.landings.windows(2);
        assert!(landings.all(|pair| pair[0].to.end <= pair[1].to.start));
        resolved.bytes.into_owned()
    }
}

/// Two sides of a connection, and the judgement that they share.
struct Sides {
    here: Side,
    there: Side,
    audit: Audit,
    classes: FieldClasses,
    free_text: FreeText,
    /// Whether a directory is spelled in one way only.
    is_plain: bool,
}

impl Sides {
    /// The lower bit of `choice` has free text mapped, the upper one adds spellings.
    fn new(descriptor: &Descriptor, choice: usize) -> Self {
        let mut descriptor = descriptor.clone();
        if choice & 2 == 2 {
            let all = [Spelling::ObjectKeys, Spelling::FileUris, Spelling::CwdSlug];
            descriptor.spellings.extend(all);
        }
        let free_text = if choice & 1 == 0 {
            FreeText::Kept
        } else {
            FreeText::Mapped
        };
        let rules = Rules {
            free_text,
            home_tokens: HomeTokens::Numbered,
            ..Rules::default()
        };
        Self {
            here: Side::new(HERE, &descriptor, &rules),
            there: Side::new(THERE, &descriptor, &rules),
            audit: Audit::new(&descriptor, &rules),
            classes: FieldClasses::new(&descriptor, &rules),
            free_text,
            is_plain: choice == 0 && descriptor.spellings.is_empty(),
        }
    }

    /// Claims of one message and its portable form.
    fn check(&self, direction: Direction, message: &[u8], portable: &[u8]) {
        let audited = self.audit.message(portable);
        assert!(audited.is_ok(), "{audited:?}");
        if !is_json(message) {
            // Strings are met in it as one thing and another; no panic is all that is asked of
            // putting it back.
            self.there.resolved(portable);
            return;
        }
        assert!(is_json(portable), "is JSON no more");
        self.here.check_again(direction, (portable, portable));
        if holds_uncompared(message) {
            return;
        }
        if self.is_plain {
            check_directories(portable);
        }
        if self.free_text == FreeText::Mapped && self.holds_texts(message) {
            self.check_nothing_is_left(portable);
        }
        for side in [&self.here, &self.there] {
            let resolved = side.resolved(portable);
            for direction in [Direction::Inbound, Direction::Outbound] {
                side.check_again(direction, (&resolved, portable));
            }
        }
    }

    /// Whether all of its strings are texts: no path, of which the beginning alone is mapped,
    /// nothing signed, and no directory in the name of a member.
    fn holds_texts(&self, message: &[u8]) -> bool {
        let is_kept = |key: Cow<'_, str>| {
            let mut roots = [HERE.0, HERE.1].into_iter();
            let class = self.classes.of(&key);
            matches!(class, FieldClass::Path | FieldClass::Signature)
                || roots.any(|root| key.contains(root))
        };
        !texts(message, TokenKind::Key).into_iter().any(is_kept)
    }

    fn check_nothing_is_left(&self, portable: &[u8]) {
        let left = self.here.projection.roots_left(portable);
        assert_eq!(left, [""; 0], "directories are left");
        for text in texts(portable, TokenKind::String) {
            let mut words = text.split_whitespace();
            let is_root = |word| word == HERE.0 || word == HERE.1;
            assert!(!words.any(is_root), "a directory is left in {text:?}");
        }
    }
}

/// A token stands for a directory: what follows it is below that, or nothing.
fn check_directories(portable: &[u8]) {
    for text in texts(portable, TokenKind::String) {
        let behind = text.strip_prefix("${").and_then(|it| it.split_once('}'));
        let is_below =
            behind.is_none_or(|(_, rest)| rest.is_empty() || rest.starts_with(['/', '\\']));
        assert!(is_below, "no directory: {text:?}");
        let stays = behind.is_none_or(|(_, rest)| stays_below(rest));
        assert!(stays, "another directory: {text:?}");
    }
}

/// Whether a path never goes above where it begins.
fn stays_below(path: &str) -> bool {
    let mut levels = 0_usize;
    path.split(['/', '\\']).all(|segment| {
        match segment {
            "" | "." => {}
            ".." if levels == 0 => return false,
            ".." => levels -= 1,
            _ => levels += 1,
        }
        true
    })
}

fn is_json(message: &[u8]) -> bool {
    let mut scanner = Scanner::new(message);
    loop {
        match scanner.skip_value() {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// Whether a key or text of the message holds what comes out otherwise.
fn holds_uncompared(message: &[u8]) -> bool {
    let keys = texts(message, TokenKind::Key);
    let all = texts(message, TokenKind::String);
    let mut all = keys.into_iter().chain(all);
    all.any(|text| NOT_COMPARED.iter().any(|part| text.contains(part)))
}

/// What the strings of this kind say.
fn texts(message: &[u8], kind: TokenKind) -> Vec<Cow<'_, str>> {
    let mut scanner = Scanner::new(message);
    let mut texts = Vec::new();
    while let Ok(Some(token)) = scanner.next_token() {
        if token.kind == kind {
            texts.push(decode_string(message, token.span));
        }
    }
    texts
}
