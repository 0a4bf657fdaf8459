//! Which kind of agent a command is, by its words: what is not recognised is `raw`.

use std::ffi::OsString;
use std::path::Path;

/// Agents of each kind, as they are started.
pub(crate) const KNOWN_AGENTS: [&str; 9] = [
    "codex app-server",
    "claude --input-format stream-json --output-format stream-json",
    "gemini --experimental-acp",
    "qwen --acp",
    "opencode acp",
    "goose acp",
    "codex-acp",
    "claude-code-acp",
    "rust-analyzer",
];

/// Programs that run what their arguments name.
const RUNNERS: [&str; 17] = [
    "bun", "bunx", "deno", "docker", "env", "nerdctl", "node", "npx", "pipx", "pnpm", "pnpx",
    "podman", "python", "python3", "uv", "uvx", "yarn",
];

/// What a runner is told to do, before the name of what it runs.
const RUNNING: [&str; 5] = ["dlx", "exec", "run", "tool", "x"];

/// Options of runners behind which a value stands that is no program.
const VALUED: [&str; 19] = [
    "--directory",
    "--env",
    "--env-file",
    "--import",
    "--mount",
    "--name",
    "--network",
    "--project",
    "--python",
    "--require",
    "--user",
    "--volume",
    "--with",
    "--workdir",
    "-e",
    "-p",
    "-r",
    "-u",
    "-v",
];

/// Language servers that speak on their standard streams without being told to.
const LANGUAGE_SERVERS: [&str; 6] = ["clangd", "gopls", "jdtls", "pylsp", "rust-analyzer", "zls"];

/// The provider that the command looks like.
pub(crate) fn provider_of(command: &[OsString]) -> &'static str {
    let words: Vec<String> = command
        .iter()
        .map(|word| word.to_string_lossy().to_lowercase())
        .collect();
    let programs = programs(&words);
    let arguments = words.get(1..).unwrap_or_default();
    let has = |wanted: &str| arguments.iter().any(|word| word == wanted);
    let mut plain = arguments.iter().filter(|word| !word.starts_with('-'));
    let first = [plain.next(), plain.next()];
    let is_told = |wanted: &str| first.into_iter().flatten().any(|word| word == wanted);
    let is_named = |test: fn(&str) -> bool| programs.iter().any(|word| test(name_in(word)));
    let is_packaged = || programs.iter().any(|word| is_mcp_package(word));
    let is_claude = is_named(|name| matches!(name, "claude" | "claude-code"));
    if has("--acp") || has("--experimental-acp") || is_told("acp") || is_named(is_acp) {
        "acp"
    } else if is_told("mcp") || is_told("mcp-server") || is_named(is_mcp) || is_packaged() {
        "mcp"
    } else if is_named(|name| name == "codex") {
        "codex"
    } else if is_claude && arguments.iter().any(|word| word.ends_with("stream-json")) {
        "claude-stream-json"
    } else if has("--stdio") || is_named(is_language_server) {
        "lsp"
    } else {
        "raw"
    }
}

/// The program, and where that is a runner, what it runs.
fn programs(words: &[String]) -> Vec<&str> {
    let mut programs = Vec::new();
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let is_run = !programs.is_empty();
        if is_run && VALUED.contains(&word) {
            words.next();
        }
        let is_variable = word.contains('=');
        if is_run && (word.starts_with('-') || is_variable || RUNNING.contains(&word)) {
            continue;
        }
        programs.push(word);
        if !RUNNERS.contains(&name_in(word)) {
            break;
        }
    }
    programs
}

/// The name in a path, in a package with a version, in an image with a tag:
/// `claude-code-acp` in `@zed-industries/claude-code-acp@0.5.1`.
fn name_in(word: &str) -> &str {
    let name = Path::new(word).file_name();
    let name = name.and_then(|name| name.to_str()).unwrap_or(word);
    let name = name.split_once(['@', ':']).map_or(name, |(name, _)| name);
    let endings = [".exe", ".cmd", ".bat", ".js", ".mjs", ".cjs", ".ts", ".py"];
    let mut endings = endings.iter();
    endings
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(name)
}

fn is_acp(name: &str) -> bool {
    name.ends_with("-acp")
}

fn is_mcp(name: &str) -> bool {
    let begins = ["mcp-", "mcp_"].iter().any(|start| name.starts_with(start));
    let ends = ["-mcp", "_mcp", "-mcp-server", "_mcp_server"];
    name == "mcp" || begins || ends.iter().any(|end| name.ends_with(end))
}

/// Whether a package or an image is one of those that the protocol's makers and Docker publish:
/// `@modelcontextprotocol/server-time`, `mcp/time`.
fn is_mcp_package(word: &str) -> bool {
    word.contains("@modelcontextprotocol/server-") || word.starts_with("mcp/")
}

fn is_language_server(name: &str) -> bool {
    LANGUAGE_SERVERS.contains(&name)
        || name.ends_with("language-server")
        || name.ends_with("langserver")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_recognised_by_their_words() {
        let guesses = [
            ("codex app-server", "codex"),
            ("/opt/bin/codex.exe app-server --listen stdio", "codex"),
            ("npx -y @openai/codex@0.60.0 app-server", "codex"),
            ("codex -c model=o3 mcp-server", "mcp"),
            (
                "claude -p --input-format stream-json --output-format stream-json",
                "claude-stream-json",
            ),
            (
                "claude -p --output-format=stream-json",
                "claude-stream-json",
            ),
            ("claude -p hello", "raw"),
            ("claude mcp serve", "mcp"),
            ("gemini --experimental-acp", "acp"),
            ("qwen --acp", "acp"),
            ("npx -y opencode-ai acp", "acp"),
            ("codex-acp", "acp"),
            ("npx @zed-industries/claude-code-acp@0.5.1", "acp"),
            ("node node_modules/.bin/claude-code-acp.js", "acp"),
            ("mcp-server-time --local-timezone UTC", "mcp"),
            ("uvx mcp-server-fetch", "mcp"),
            ("python3 -m mcp_server_git", "mcp"),
            ("github-mcp-server stdio", "mcp"),
            ("npx -y @upstash/context7-mcp@latest", "mcp"),
            (
                "npx -y @modelcontextprotocol/server-filesystem@2025.8.21 .",
                "mcp",
            ),
            (
                "node node_modules/@modelcontextprotocol/server-time/dist/index.js",
                "mcp",
            ),
            ("npx @playwright/mcp@latest", "mcp"),
            ("npx --package=x @playwright/mcp", "mcp"),
            ("docker run -i --rm -e TZ mcp/time:latest", "mcp"),
            ("docker run -i ghcr.io/github/github-mcp-server:v1", "mcp"),
            ("uv run --directory /srv/clock mcp-server-time", "mcp"),
            ("uv --directory /srv/my-mcp run agent.py", "raw"),
            ("env TZ=UTC npx -y context7-mcp", "mcp"),
            ("npx my-agent my-mcp", "raw"),
            ("mcp run server.py", "mcp"),
            ("rust-analyzer", "lsp"),
            ("typescript-language-server --stdio", "lsp"),
            ("pyright-langserver --stdio", "lsp"),
            ("cat codex-acp", "raw"),
            ("grep -r x y acp", "raw"),
            ("my-agent", "raw"),
            ("", "raw"),
        ];
        for (command, provider) in guesses {
            let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
            assert_eq!(provider_of(&words), provider, "{command}");
        }
        assert_eq!(provider_of(&[]), "raw");
    }

    #[test]
    fn the_kind_of_every_known_agent_is_recognised() {
        for command in KNOWN_AGENTS {
            let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
            assert_ne!(provider_of(&words), "raw", "{command}");
        }
    }

    #[test]
    fn every_guess_is_a_provider() {
        let registry = provider_adapters::builtin();
        for provider in ["acp", "claude-stream-json", "codex", "lsp", "mcp", "raw"] {
            let provider = provider.parse().unwrap();
            assert!(registry.by_provider(&provider).is_some(), "{provider}");
        }
    }
}
