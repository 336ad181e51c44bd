// CopilotKit's runtime with an agent of LangGraph's own server behind it: `node server.mjs PORT`.

import { spawn } from "node:child_process";
import http from "node:http";
import { createServer } from "node:net";
import path from "node:path";

import { CopilotRuntime, InMemoryAgentRunner } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import { LangGraphAgent } from "@copilotkit/runtime/langgraph";

const [port] = process.argv.slice(2);

/** A port without a listener. */
const free = () =>
  new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });

/** Starts LangGraph's development server, which ends with this process. */
async function graphServer() {
  const port = await free();
  const program = path.join(import.meta.dirname, "node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs");
  const child = spawn(process.execPath, [program, "dev", "--host", "127.0.0.1", "--port", port, "--no-browser"], {
    cwd: import.meta.dirname,
    env: { ...process.env, LANGSMITH_TRACING: "false" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => (child.kill(signal), process.exit()));
  child.once("exit", (code) => process.exit(code ?? 1));
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/ok`).catch(() => undefined))) await new Promise((done) => setTimeout(done, 200));
  return url;
}

const deploymentUrl = await graphServer();
const runtime = new CopilotRuntime({
  agents: { orders: new LangGraphAgent({ deploymentUrl, graphId: "orders" }) },
  // A page that hangs up does not end its run, and the next one would be refused.
  runner: new InMemoryAgentRunner({ onConcurrentRun: "supersede" }),
});
http.createServer(createCopilotNodeListener({ runtime, basePath: "/api/copilotkit" })).listen(Number(port), "127.0.0.1");
