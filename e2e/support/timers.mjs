// Timers of a page that a test holds back, so that a scene lasts for as long as the test needs, however slow the machine is.

/** The delays of timers, in milliseconds: after a word of the demo's script, and before the files in an answer. */
export const [WORD_MS, FILES_MS] = [14, 200];
/** Those of the demo's tools: a stage of a deployment, and the call about berths that the agent runs. */
export const [STAGE_MS, BERTHS_MS] = [900, 1_500];
/** The delay of a stage of a deployment of the version "slow". */
export const SLOW_STAGE_MS = 6_000;
/** The time from the start of a deployment of the demo to its end. */
export const ROLLOUT_MS = 5_000;
/** The time after which a dialog accepts an answer. */
export const DIALOG_MS = 500;
/** The time in which requests for approval are collected into one announcement. */
export const BATCH_MS = 300;

/** Holds back the timers that the page starts from now on with a delay of `ms`. Returns functions that end them. */
export async function holdTimers(page, ms) {
  await page.evaluate((ms) => {
    const { setTimeout } = globalThis;
    const held = ((globalThis.heldTimers ??= {})[ms] = []);
    const hold = (callback, delay, ...given) => {
      if (delay !== ms) return setTimeout(callback, delay, ...given);
      held.push(() => callback(...given));
      return 0;
    };
    globalThis.setTimeout = hold;
    held.end = () => held.splice(0).forEach((run) => run());
    held.release = () => {
      // Another delay may be held since then.
      if (globalThis.setTimeout === hold) globalThis.setTimeout = setTimeout;
      held.push = (run) => setTimeout(run, ms);
      held.end();
    };
  }, ms);
  /** Waits for a timer, and ends those that have started so far. */
  const next = async () => {
    await page.waitForFunction((ms) => globalThis.heldTimers[ms].length > 0, ms);
    await page.evaluate((ms) => globalThis.heldTimers[ms].end(), ms);
  };
  return {
    next,
    /** Ends timers, one after the other, until a check passes. */
    async until(isReached) {
      while (!(await isReached())) await next();
    },
    /** Ends them, and holds back no more. */
    release: () => page.evaluate((ms) => globalThis.heldTimers[ms].release(), ms),
  };
}
