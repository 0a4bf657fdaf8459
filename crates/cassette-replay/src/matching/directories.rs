//! The directories that a recorded token may stand for on this side.

use cassette_format::portable::{HOME_TOKEN, RootSources, Roots, map_path};

/// Tokens, each with the directories that it may stand for.
#[derive(Debug, Clone)]
pub(super) struct Directories(Vec<(String, Vec<String>)>);

impl Directories {
    /// Those of this side, whose roots are `roots`. The token of a home stands for
    /// any home, since a recording may have one token for all of them.
    pub(super) fn new(roots: &Roots, sources: &RootSources<'_>, fallback_home: &str) -> Self {
        let mut homes = roots.homes().to_vec();
        if homes.is_empty() && !fallback_home.is_empty() {
            homes.push(fallback_home.to_owned());
        }
        let numbered = homes.iter().enumerate().skip(1);
        let numbered =
            numbered.map(|(at, home)| (format!("${{REPLAY_HOME:{}}}", at + 1), vec![home.clone()]));
        let mut places: Vec<_> = numbered.collect();
        places.push((HOME_TOKEN.to_owned(), homes));
        if let Some(cwd) = roots.cwd().filter(|_| !roots.cwd_token().is_empty()) {
            let further = sources.cwd_roots.iter().map(|root| root.trim().to_owned());
            let all = std::iter::once(cwd.to_owned()).chain(further);
            let all = all.filter(|root| !root.is_empty()).collect();
            places.push((roots.cwd_token().to_owned(), all));
        }
        Self(places)
    }

    /// Whether a recorded path means the one that was sent.
    pub(super) fn agree(&self, recorded: &str, sent: &str) -> bool {
        self.of(recorded).any(|(token, rest, directory)| {
            let is_plain = !directory.ends_with(['/', '\\']);
            (is_plain && sent.strip_prefix(directory) == Some(rest))
                || map_path(sent, directory, token).as_deref() == Some(recorded)
        })
    }

    /// What was sent, with the token of the recorded path.
    pub(super) fn portable<'d>(
        &'d self,
        recorded: &'d str,
        sent: &'d str,
    ) -> impl Iterator<Item = String> + 'd {
        self.of(recorded)
            .filter_map(move |(token, _, directory)| map_path(sent, directory, token))
    }

    /// The token that a path begins with, what follows it, and each of its
    /// directories.
    fn of<'d>(
        &'d self,
        recorded: &'d str,
    ) -> impl Iterator<Item = (&'d str, &'d str, &'d str)> + 'd {
        let places = self.0.iter().filter_map(move |(token, directories)| {
            let rest = recorded.strip_prefix(token.as_str())?;
            let ends = rest.is_empty() || rest.starts_with(['/', '\\']);
            ends.then_some((token, rest, directories))
        });
        places.flat_map(|(token, rest, directories)| {
            let each = directories.iter();
            each.map(move |directory| (token.as_str(), rest, directory.as_str()))
        })
    }
}
