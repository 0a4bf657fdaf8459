#!/bin/sh
# Installs the agents, servers and clients of others that tests/real drives, below DIR:
# DIR/npm and DIR/python. Needs npm with Node 20 or newer and Python 3.10 or newer.
# Run it again after a change of the versions below.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: $0 DIR" >&2
    exit 2
fi
mkdir -p "$1/npm"
directory=$(cd "$1" && pwd)

npm install --prefix "$directory/npm" --no-audit --no-fund --save-exact \
    @openai/codex@0.171.0 \
    @anthropic-ai/claude-code@2.1.332 \
    @zed-industries/claude-code-acp@0.16.2 \
    @zed-industries/codex-acp@0.16.0 \
    opencode-ai@1.18.33 \
    @qwen-code/qwen-code@0.15.10 \
    @modelcontextprotocol/sdk@1.32.2 \
    @modelcontextprotocol/server-everything@2026.8.31 \
    @modelcontextprotocol/server-filesystem@2026.8.31 \
    @modelcontextprotocol/server-memory@2026.8.31

python3 -m venv "$directory/python"
"$directory/python/bin/pip" install --quiet --disable-pip-version-check \
    mcp==2.3.0 \
    mcp-server-time==2026.10.19
