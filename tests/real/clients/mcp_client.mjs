// The official TypeScript client of MCP, following steps and writing down what it is told.
//
// Usage: mcp_client.mjs SDK STEPS TRANSCRIPT COMMAND ARGUMENT...
//
// SDK is the directory of the package. STEPS is a JSON list of lists: the name of a step and what it
// takes. TRANSCRIPT gets a line of JSON for each step, then one for each thing that the server said
// or asked by itself, in order.

import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [sdk, steps, transcript, command, ...args] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${sdk}/dist/esm/${file}`).href);
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} = await load("types.js");

const heard = [];
const hear = (what, value) => heard.push([what, value]);
const client = new Client(
  { name: "script", version: "1" },
  { capabilities: { roots: {}, sampling: {}, elicitation: {} } },
);
client.setRequestHandler(ListRootsRequestSchema, () => {
  hear("roots", null);
  return { roots: [{ uri: pathToFileURL(process.cwd()).href, name: "here" }] };
});
client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
  hear("sample", params);
  return { role: "assistant", model: "model", content: { type: "text", text: "a sample" } };
});
client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
  hear("elicit", params);
  return { action: "decline" };
});
client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) =>
  hear("log", params),
);

// Without `onprogress`: of what is read together, this SDK hands on the answer before the progress
// and forgets who wanted that, so that it depends on the pace whether the last one is told.
const call = (name, args) => client.callTool({ name, arguments: args });
const follow = {
  tools: () => client.listTools(),
  resources: () => client.listResources(),
  prompts: () => client.listPrompts(),
  read: (uri) => client.readResource({ uri }),
  prompt: (name, args) => client.getPrompt({ name, arguments: args }),
  call,
  together: (...calls) =>
    Promise.all(calls.map(([name, args]) => client.callTool({ name, arguments: args }))),
};

const lines = [];
try {
  await client.connect(new StdioClientTransport({ command, args, env: process.env }));
  lines.push(["server", client.getServerVersion()]);
  for (const [step, ...rest] of JSON.parse(steps)) {
    lines.push([step, await follow[step](...rest)]);
  }
} finally {
  const text = [...lines, ...heard].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(transcript, text.join(""));
  await client.close();
}
