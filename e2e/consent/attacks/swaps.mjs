// Attacks by swaps: the call changes between the time it is shown and the time it runs. An approval is for the call
// that was shown for long enough.

import { call, end, list, listed, more, start, text, wait } from "../agent.mjs";
import { ADA, MALLORY, PAY } from "../stage.mjs";

const PAID = ["pay", ADA];

/** A run that asks about a payment, and changes it while the user reads. */
const duringRun = (...steps) => [[call("pay", ADA), wait, ...steps, wait]];

/** The honest scene: a run that stays open while the user approves. */
const twin = {
  script: [[call("pay", ADA), wait]],
  answer: async (stage) => {
    await stage.read();
    await stage.press();
    stage.agent.proceed();
  },
};

/** The user has read the request; the agent swaps, and the user clicks as soon as the page shows the words `sign`. */
const swapAfterReading = (sign) => async (stage) => {
  await stage.ready();
  await stage.aim();
  stage.agent.proceed();
  await stage.changed(sign);
  await stage.quick();
  await stage.shortly();
  await stage.settle(250);
  stage.agent.proceed();
  await stage.settle();
};

/** The user approves; the agent swaps before its run is over. */
const swapAfterClick = async (stage) => {
  await stage.ready();
  await stage.quick();
  await stage.settle(100);
  stage.agent.proceed();
  await stage.settle(150);
  stage.agent.proceed();
  await stage.settle();
};

/** The user approves, and the agent plays its next runs. */
const approved = async (stage) => {
  await stage.ready();
  await stage.press();
  await stage.settle(500);
};

const swap = (name, steps, sign, more) => ({ name, twin, attack: { script: duringRun(...steps), answer: swapAfterReading(sign), ...more } });
/** A swap that the request itself does not show: a message marks its arrival. */
const unseen = (name, steps) => swap(name, [...steps, text("Swapped.", "sign")], "Swapped.");
const late = (name, steps, expects = { ran: [PAID] }) => ({ name, twin, attack: { script: duringRun(...steps), answer: swapAfterClick }, expects });

const RESTARTED = [start("pay"), more(MALLORY), end()];
const RELISTED = [list(listed(["c", "pay", MALLORY]))];
const RENAMED = [list(listed(["c", "erase", { folder: "invoices" }]))];

export const swaps = [
  // The call has ended: later events change nothing, and the call that was shown may run.
  { ...unseen("more arguments after the end of the call", [more(',"amount":5000}')]), expects: { ran: [PAID] } },
  { ...unseen("other arguments after the end of the call", [more(MALLORY), end()]), expects: { ran: [PAID] } },
  unseen("the call is started again with other arguments", RESTARTED),
  unseen("the call is started again as another tool", [start("erase"), more({ folder: "invoices" }), end()]),
  swap("a snapshot with other arguments", RELISTED, "5000"),
  swap("a snapshot with another tool under the same id", RENAMED, "invoices"),
  unseen("a snapshot without the call", [list()]),
  swap("a snapshot that swaps two calls", [list(listed(["d", "pay", MALLORY], ["c", "pay", ADA]))], "5000", {
    script: [[call("pay", ADA), wait, list(listed(["d", "pay", MALLORY], ["c", "pay", ADA])), wait]],
  }),
  unseen("a snapshot with other arguments, then one with the original ones", [...RELISTED, list(listed(["c", "pay", ADA]))]),
  late("more arguments after the click, before the run is over", [more(',"amount":5000}')]),
  late("the call is started again after the click", RESTARTED),
  late("a snapshot with other arguments after the click", RELISTED),
  late("a snapshot with another tool after the click", RENAMED),
  {
    name: "a snapshot with other arguments while the mouse button is down",
    twin,
    attack: {
      script: duringRun(...RELISTED),
      answer: async (stage) => {
        await stage.ready();
        const { x, y } = await stage.aim();
        await stage.page.mouse.move(x, y);
        await stage.page.mouse.down();
        stage.agent.proceed();
        await stage.changed("5000");
        await stage.page.mouse.up();
        await stage.shortly();
        await stage.settle(200);
        stage.agent.proceed();
        await stage.settle();
      },
    },
  },
  {
    name: "a snapshot with other arguments, and a keypress on the previous button",
    twin,
    attack: {
      script: duringRun(...RELISTED),
      answer: async (stage) => {
        await stage.ready();
        const before = await stage.button.elementHandle();
        stage.agent.proceed();
        await stage.changed("5000");
        await before.evaluate((button) => button.isConnected && button.focus());
        await stage.page.keyboard.press("Enter");
        await stage.shortly();
        await stage.settle(200);
        stage.agent.proceed();
        await stage.settle();
      },
    },
  },
  {
    name: "the page registers the action again with another handler",
    twin,
    attack: {
      script: duringRun(),
      answer: async (stage) => {
        await stage.ready();
        await stage.aim();
        await stage.do((action) => {
          globalThis.unregister.pay();
          globalThis.unregister.pay = globalThis.register({ ...action, description: "Pays ten times as much" });
          globalThis.attack.times.mark();
        }, PAY);
        await stage.quick();
        await stage.shortly();
        await stage.settle(200);
        stage.agent.proceed();
        await stage.settle();
      },
    },
    expects: { check: (stage) => stage.do((action) => (globalThis.unregister.pay(), void (globalThis.unregister.pay = globalThis.register(action))), PAY) },
  },
  {
    name: "the page unregisters the action",
    twin,
    attack: {
      script: duringRun(),
      answer: async (stage) => {
        await stage.ready();
        await stage.aim();
        await stage.do(() => globalThis.unregister.pay());
        await stage.quick();
        await stage.settle(200);
        stage.agent.proceed();
        await stage.settle();
      },
    },
  },
  {
    name: "the same id again in the next run, after it ran",
    attack: { script: [[call("pay", ADA)], [call("pay", ADA)], []], answer: approved },
    expects: { ran: [PAID] },
  },
  {
    name: "the same id with other arguments in the next run, after it ran",
    attack: { script: [[call("pay", ADA)], [call("pay", MALLORY)], []], answer: approved },
    expects: { ran: [PAID] },
  },
  {
    name: "an equal call in the next run, after one was approved",
    attack: { script: [[call("pay", ADA)], [call("pay", ADA, "e")], []], answer: approved },
    expects: { ran: [PAID] },
  },
  {
    name: "arguments that are still being written",
    attack: {
      script: [[start("pay"), more('{"to":"ada","amount":5'), wait, more("000}"), end()]],
      ask: false,
      answer: async (stage) => {
        await stage.settle(900);
        if ((await stage.button.count()) > 0) await stage.press();
        stage.agent.proceed();
        await stage.settle();
      },
    },
  },
];
