// A server between the relay and a real agent that waits after an event of the agent, until the test continues.

import http from "node:http";

import { listening } from "./servers.mjs";

/** Starts the server in front of the agent at an address. */
export async function pausing(agent) {
  let sent = 0;
  let pause;
  let bodies = [];
  const server = http.createServer(async (request, answer) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    bodies.push(JSON.parse(body));
    const { "content-type": type, accept } = request.headers;
    const reply = await fetch(agent, { method: "POST", headers: { "content-type": type, accept }, body });
    answer.writeHead(reply.status, { "content-type": reply.headers.get("content-type") });
    let rest = "";
    for await (const text of reply.body.pipeThrough(new TextDecoderStream())) {
      const frames = (rest + text).split("\n\n");
      rest = frames.pop();
      for (const frame of frames) {
        answer.write(`${frame}\n\n`);
        if ((sent += 1) === pause?.after) await pause.until();
      }
    }
    answer.end(rest);
  });
  const { url, close } = await listening(server);
  return {
    url,
    close,
    /** The number of events that were sent since the last `pauseAfter`. */
    sent: () => sent,
    /** The bodies of the requests since the last `pauseAfter`. */
    bodies: () => bodies,
    /** Waits after a number of events from now on. Returns a function that is true while it waits, and one that continues. */
    pauseAfter(number) {
      let proceed;
      let isPaused = false;
      const continued = new Promise((resolve) => (proceed = resolve));
      sent = 0;
      bodies = [];
      pause = {
        after: number,
        until() {
          isPaused = true;
          return continued;
        },
      };
      return {
        isPaused: () => isPaused,
        proceed() {
          isPaused = false;
          proceed();
        },
      };
    },
  };
}
