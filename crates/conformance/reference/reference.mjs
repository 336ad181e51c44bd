// The AG-UI reference client behind a pipe: one case a line in, what it made of it a line out.
//
// A case is {"stream": [event…], "input": {messages, state} or null}.
import { createInterface } from "node:readline";
import { AbstractAgent } from "@ag-ui/client";
import { from } from "rxjs";

// The client warns a lot, and nobody compares that.
console.warn = console.error = () => {};

class Recorded extends AbstractAgent {
  constructor(config, events) {
    super(config);
    this.events = events;
  }

  run() {
    return from(this.events);
  }
}

async function play({ stream, input }) {
  const agent = new Recorded(
    { threadId: "t", initialMessages: input?.messages ?? [], initialState: input?.state ?? {} },
    stream,
  );
  const finished = [];
  const runErrors = [];
  let outcome = "completed";
  let error = null;
  try {
    await agent.runAgent({}, {
      onRunFinishedEvent({ outcome, pendingToolCallIds, interrupts }) {
        finished.push({ outcome, pendingToolCallIds, interrupts });
      },
      onRunErrorEvent({ event }) {
        runErrors.push({ message: event.message, code: event.code });
      },
    });
  } catch (thrown) {
    outcome = "failed";
    error = thrown.message;
  }
  const { messages, state, pendingInterrupts } = agent;
  return { outcome, error, finished, runErrors, messages, state, pendingInterrupts };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(await play(JSON.parse(line))) + "\n");
}
