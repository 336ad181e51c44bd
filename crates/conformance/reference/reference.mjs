// The AG-UI reference client as a filter: one case per input line, one result per output line.
//
// A case is {"stream": [event…] or "rawSse": text, "input": {messages, state, resume, pendingInterrupts} or null}. The
// response body is built locally; no request is sent.
import { createInterface } from "node:readline";
import { HttpAgent } from "@ag-ui/client";

let warnings = [];
console.warn = (first, ...rest) => warnings.push([first, ...rest].join(" "));
console.error = () => {};
// Errors that the client throws asynchronously show in its reports.
process.on("unhandledRejection", () => {});
process.on("uncaughtException", () => {});

/** A timeout longer than any case takes; in some the client never settles. */
const PATIENCE = 5_000;

function body({ rawSse, stream }) {
  return rawSse ?? stream.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}

async function play(test) {
  const input = test.input ?? {};
  const agent = new HttpAgent({
    url: "http://reference.invalid/",
    fetch: async () =>
      new Response(body(test), { headers: { "Content-Type": "text/event-stream" } }),
    threadId: "t",
    initialMessages: input.messages ?? [],
    initialState: input.state ?? {},
  });
  agent.pendingInterrupts = input.pendingInterrupts ?? [];
  const finished = [];
  const runErrors = [];
  let outcome = "completed";
  let error = null;
  let kind = null;
  warnings = [];
  try {
    const run = agent.runAgent(input.resume ? { resume: input.resume } : {}, {
      onRunFinishedEvent({ outcome, pendingToolCallIds, interrupts }) {
        finished.push({ outcome, pendingToolCallIds, interrupts });
      },
      onRunErrorEvent({ event }) {
        runErrors.push({ message: event.message, code: event.code });
      },
    });
    let timer;
    const patience = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error("no end")), PATIENCE);
    });
    await Promise.race([run, patience]).finally(() => clearTimeout(timer));
  } catch (thrown) {
    outcome = "failed";
    error = thrown.message;
    kind = thrown.name;
  }
  const { messages, state, pendingInterrupts } = agent;
  return {
    outcome, error, kind, finished, runErrors, messages, state, pendingInterrupts, warnings,
  };
}

/** A lone surrogate cannot be represented outside of JavaScript. */
const wellFormed = (_, value) => (typeof value === "string" ? value.toWellFormed() : value);

/** A patch can make its state cyclic, which cannot be serialized. */
function written(report) {
  try {
    return JSON.stringify(report, wellFormed);
  } catch {
    return JSON.stringify({ outcome: "circular" });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(written(await play(JSON.parse(line))) + "\n");
}
