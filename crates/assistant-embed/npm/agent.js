// An agent that the page has written: a function of a run's input that returns AG-UI events.
import { reason, stringified } from "./foreign.js";

/** The number of events after which the page can do other work. */
const TURN = 64;

/**
 * Wraps a function that returns an iterable of events, asynchronous or not, or a promise of an iterable. The wrapper
 * never throws.
 */
export function streaming(agent) {
  return (text) => {
    const controller = new AbortController();
    let iterator;
    let ended = false;
    let stopped = false;
    let count = 0;
    const refused = (why) => {
      console.error(`leptos-assistant: \`agent\`: ${why}`);
      return [false, why];
    };
    const begin = async () => {
      const events = await agent(JSON.parse(text), { signal: controller.signal });
      const make = events?.[Symbol.asyncIterator] ?? events?.[Symbol.iterator];
      if (typeof events === "string" || typeof make !== "function") throw new TypeError("`agent` must return an iterable of events");
      return make.call(events);
    };
    return {
      /** Returns `[true, JSON]` with the next event, or null at the end; `[false, reason]` after a failure. */
      async next() {
        try {
          iterator ??= await begin();
          if (stopped) {
            await iterator.return?.();
            return [true, "null"];
          }
          if (++count % TURN === 0) await new Promise((done) => setTimeout(done));
          const { done, value } = await iterator.next();
          ended = Boolean(done);
          if (done) return [true, "null"];
          // The program stops an agent that has failed, which ends its generator.
          if (value === null || typeof value !== "object") return refused("an event of `agent` must be an object");
          const event = stringified(value);
          return event === undefined ? refused("an event of `agent` must be JSON") : [true, event];
        } catch (error) {
          ended = true;
          return refused(reason(error));
        }
      },
      stop() {
        if (ended) return;
        ended = true;
        stopped = true;
        controller.abort();
        try {
          // It may be waiting; then this is done once it continues.
          Promise.resolve(iterator?.return?.()).catch(() => {});
        } catch {
          // A generator that cannot end any more has no effect.
        }
      },
    };
  };
}
