"""The official Python client of MCP, following steps and writing down what it is told.

Usage: mcp_client.py STEPS TRANSCRIPT COMMAND ARGUMENT...

STEPS is a JSON list of lists: the name of a step and what it takes. TRANSCRIPT gets a line of JSON
for each step, then one for each thing that the server said or asked by itself, in order.
"""

import asyncio
import json
import os
import pathlib
import sys

import mcp
from mcp.types import CreateMessageResult, ElicitResult, ListRootsResult, Root, TextContent


def plain(value):
    """A result as it was on the wire."""
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


class Heard:
    """What the server says and asks by itself."""

    def __init__(self):
        self.lines = []

    def add(self, what, value):
        self.lines.append([what, value])

    async def log(self, message):
        self.add("log", plain(message))

    async def progress(self, progress, total, message):
        self.add("progress", [progress, total, message])

    async def roots(self, _context):
        self.add("roots", None)
        root = Root(uri=pathlib.Path.cwd().as_uri(), name="here")
        return ListRootsResult(roots=[root])

    async def sample(self, _context, params):
        self.add("sample", plain(params))
        content = TextContent(type="text", text="a sample")
        return CreateMessageResult(role="assistant", model="model", content=content)

    async def elicit(self, _context, params):
        self.add("elicit", plain(params))
        return ElicitResult(action="decline")


async def follow(client, heard, step):
    kind, *rest = step
    match kind:
        case "tools":
            return plain(await client.list_tools())
        case "resources":
            return plain(await client.list_resources())
        case "prompts":
            return plain(await client.list_prompts())
        case "read":
            return plain(await client.read_resource(rest[0]))
        case "prompt":
            return plain(await client.get_prompt(rest[0], rest[1]))
        case "call":
            name, arguments = rest
            called = client.call_tool(name, arguments, progress_callback=heard.progress)
            return plain(await called)
        case "together":
            calls = [client.call_tool(name, arguments) for name, arguments in rest]
            return [plain(result) for result in await asyncio.gather(*calls)]
    raise ValueError(step)


async def main():
    steps, transcript, command, *arguments = sys.argv[1:]
    heard = Heard()
    server = mcp.StdioServerParameters(
        command=command, args=arguments, env=dict(os.environ), cwd=os.getcwd()
    )
    client = mcp.Client(
        server,
        sampling_callback=heard.sample,
        elicitation_callback=heard.elicit,
        list_roots_callback=heard.roots,
        logging_callback=heard.log,
    )
    lines = []
    try:
        async with client:
            lines.append(["server", plain(client.server_info)])
            for step in json.loads(steps):
                lines.append([step[0], await follow(client, heard, step)])
    finally:
        with open(transcript, "w", encoding="utf-8") as file:
            for line in lines + heard.lines:
                file.write(json.dumps(line) + "\n")


asyncio.run(main())
