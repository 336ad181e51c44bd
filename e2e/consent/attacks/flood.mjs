// Attacks by floods: so many requests that the user presses on without reading.

import assert from "node:assert/strict";

import { call } from "../agent.mjs";
import { ADA } from "../stage.mjs";

const PAID = ["pay", ADA];
const many = (count) => [Array.from({ length: count }, (_, at) => call("pay", { to: "ada", amount: 5 + at }, `c${at}`))];

/** The delay after which an approval of a new request counts, less the inaccuracy of timers, in milliseconds. */
const SHOWN_MS = 400;

/** Checks that before each call its request was shown for long enough after the previous one. */
async function assertShownLongEnough(stage) {
  const times = (await stage.driver.ran(stage.page)).map(({ at }) => at);
  for (const [at, time] of times.slice(1).entries()) assert.ok(time - times[at] > SHOWN_MS, `the next request was shown for ${time - times[at]} ms`);
}

const all = Array.from({ length: 20 }, (_, at) => ["pay", { to: "ada", amount: 5 + at }]);

export const flood = [
  {
    name: "twenty requests, and a user who clicks ten times a second",
    attack: {
      script: many(20),
      answer: async (stage) => {
        await stage.read();
        const { x, y } = await stage.aim();
        for (let click = 0; click < 20; click++) {
          await stage.page.mouse.click(x, y);
          await stage.settle(80);
        }
      },
    },
    expects: { ran: all, check: assertShownLongEnough },
  },
  {
    name: "twenty requests, and a user who holds Enter",
    attack: {
      script: many(20),
      answer: async (stage) => {
        await stage.read();
        await stage.button.evaluate((button) => button.focus());
        for (let repeat = 0; repeat < 20; repeat++) {
          await stage.page.keyboard.down("Enter");
          await stage.settle(40);
        }
        await stage.page.keyboard.up("Enter");
      },
    },
    expects: { ran: all.slice(0, 1) },
  },
  {
    name: "Approve all is pressed before every request was seen",
    attack: {
      script: many(12),
      answer: async (stage) => {
        await stage.settle(1200);
        const approve = stage.page.getByRole("button", { name: "Approve all" });
        if ((await approve.count()) > 0) {
          const box = await approve.first().boundingBox();
          await stage.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
        }
        await stage.settle();
      },
    },
  },
  {
    name: "an equal call after it was denied",
    attack: {
      script: [[call("pay", ADA)], [call("pay", ADA, "d")], [call("pay", ADA, "e")], []],
      answer: async (stage) => {
        await stage.read();
        await stage.driver.deny(stage.request).click();
        await stage.settle(150);
        if ((await stage.driver.deny(stage.request).count()) > 0) await stage.driver.deny(stage.request).click();
        await stage.settle(700);
        stage.requestCount = await stage.driver.approve(stage.page.locator(stage.driver.card)).count();
      },
    },
    expects: { check: (stage) => assert.equal(stage.requestCount, 0, "the user is not asked again") },
  },
  {
    name: "a request in each of many runs",
    attack: {
      script: Array.from({ length: 30 }, (_, at) => [call("pay", ADA, `c${at}`)]),
      answer: async (stage) => {
        const end = Date.now() + 3000;
        await stage.read();
        while (Date.now() < end) {
          await stage.quick();
          await stage.settle(60);
        }
      },
    },
    expects: { ran: Array(20).fill(PAID), check: assertShownLongEnough },
  },
];
