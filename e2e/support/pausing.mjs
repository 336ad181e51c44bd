// A server between the relay and a real agent that waits after an event of the agent, until the test continues.

import http from "node:http";

import { listening } from "./servers.mjs";

/** Sends a request over a connection of its own, since a server may close one that was used before. */
const post = (url, headers, body) =>
  new Promise((resolve, reject) => {
    http.request(url, { method: "POST", headers, agent: false }, resolve).on("error", reject).end(body);
  });

/** Starts the server in front of the agent at an address. */
export async function pausing(agent) {
  let sent = 0;
  let pause;
  let bodies = [];
  const forward = async (request, answer) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    bodies.push(JSON.parse(body));
    const { "content-type": type, accept } = request.headers;
    const reply = await post(agent, { "content-type": type, accept }, body);
    answer.writeHead(reply.statusCode, { "content-type": reply.headers["content-type"] });
    let rest = "";
    for await (const text of reply.setEncoding("utf8")) {
      const frames = (rest + text).split("\n\n");
      rest = frames.pop();
      for (const frame of frames) {
        answer.write(`${frame}\n\n`);
        if ((sent += 1) === pause?.after) await pause.until();
      }
    }
    answer.end(rest);
  };
  const server = http.createServer((request, answer) => {
    // The agent or the relay may be closed during a run: its connection then ends here, too.
    forward(request, answer).catch(() => answer.destroy());
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
