// Attacks by timing: the click was meant for something else, or comes before the user can have read the request.

import { call, result, wait } from "../agent.mjs";
import { ADA, MALLORY } from "../stage.mjs";

const TWO = [[call("pay", ADA), call("erase", { folder: "invoices" }, "d")]];
const PAID = ["pay", ADA];
const ERASED = ["erase", { folder: "invoices" }];

/** Waits for the first of two requests and answers it by `press`: the change is the first click. */
const first = (press) => async (stage) => {
  await stage.ready();
  await stage.do(() => globalThis.attack.times.markNextClick());
  await press(stage);
  await stage.shortly();
  await stage.settle();
};

/** Approves both, one after the other, each after it was shown for long enough. */
const both = async (stage) => {
  await stage.read();
  await stage.press();
  stage.name = "erase";
  await stage.read();
  await stage.press();
};

/** Approves in a run that is still open. */
const openRun = async (stage) => {
  await stage.read();
  await stage.press();
  stage.agent.proceed();
};

/**
 * Waits, has the page move the request, and clicks at once at the new position of Approve, where the pointer already
 * was.
 */
const moved = (move) => async (stage) => {
  await stage.ready();
  const { x, y } = await stage.aim();
  await stage.page.mouse.move(x, y);
  await stage.do(() => globalThis.attack.times.mark());
  await move(stage);
  // A move that is not visible in the window does not count.
  await stage.page.waitForFunction(
    ([card, x, y]) => {
      const box = document.querySelector(card)?.querySelector("button:last-of-type")?.getBoundingClientRect();
      return box && Math.abs(box.top + box.height / 2 - y) > 20;
    },
    [stage.driver.card, x, y],
    { timeout: 1000, polling: 10 },
  );
  await stage.quick();
  await stage.shortly();
  await stage.settle();
};

/** Marks the appearance of the request as the change. */
const markShown = (stage) => stage.do((card) => globalThis.attack.times.markWhenShown(card), stage.driver.card);

export const timing = [
  {
    name: "a click as soon as the request is shown",
    attack: {
      before: markShown,
      answer: async (stage) => {
        await stage.quick();
        await stage.shortly();
        await stage.settle();
      },
    },
  },
  {
    name: "clicks from before the request until 300 ms after",
    attack: {
      ask: false,
      before: async (stage) => {
        const { x, y } = stage.target;
        await markShown(stage);
        const end = Date.now() + 20_000;
        stage.clicking = (async () => {
          while ((await stage.since()) < 300 && Date.now() < end) {
            await stage.page.mouse.click(x, y);
            await stage.settle(60);
          }
        })();
        stage.clicking.catch(() => {});
      },
      answer: async (stage) => {
        await stage.clicking;
        await stage.shortly();
        await stage.settle();
      },
    },
  },
  {
    name: "a double click on one request as the next moves under the pointer",
    twin: { script: TWO, answer: both, ran: [PAID, ERASED] },
    attack: {
      name: "pay",
      answer: first(async (stage) => {
        const { x, y } = await stage.aim();
        await stage.page.mouse.dblclick(x, y);
      }),
    },
    expects: { ran: [PAID] },
  },
  {
    name: "ten clicks on one request as the next moves under the pointer",
    twin: { script: TWO, answer: both, ran: [PAID, ERASED] },
    attack: {
      name: "pay",
      answer: first(async (stage) => {
        const { x, y } = await stage.aim();
        // On a slow machine fewer clicks come in time.
        for (let click = 0; click < 10 && (await stage.since()) < 300; click++) {
          await stage.page.mouse.click(x, y);
          await stage.settle(10);
        }
      }),
    },
    expects: { ran: [PAID] },
  },
  {
    name: "the request moves under the pointer",
    attack: {
      answer: moved((stage) => stage.do((place) => void (document.querySelector(place).style.transform = "translate(40px, 60px)"), stage.driver.place)),
    },
  },
  {
    name: "the page scrolls the request under the pointer",
    attack: {
      before: (stage) =>
        stage.do((place) => {
          document.body.style.minHeight = "300vh";
          Object.assign(document.querySelector(place).style, { position: "absolute", left: "0", top: "120px", width: "600px", height: "100vh" });
        }, stage.driver.place),
      answer: moved((stage) => stage.do(() => scrollTo(0, 110))),
    },
  },
  {
    name: "a click shortly after a move is handled late by a busy page",
    attack: {
      answer: async (stage) => {
        await stage.ready();
        const { x, y } = await stage.aim();
        await stage.page.mouse.move(x + 40, y + 60);
        const button = await stage.button.elementHandle();
        await button.evaluate(
          (button, place) =>
            new Promise((done, fail) => {
              const limit = setTimeout(() => fail(new Error("the chat has not noticed the move")), 5000);
              // The change is the time at which the chat notices the move.
              const observer = new MutationObserver(() => {
                if (!button.hasAttribute("aria-disabled")) return;
                observer.disconnect();
                clearTimeout(limit);
                globalThis.attack.times.mark();
                setTimeout(() => {
                  const end = performance.now() + 700;
                  while (performance.now() < end);
                });
                done();
              });
              observer.observe(button, { attributeFilter: ["aria-disabled"] });
              document.querySelector(place).style.transform = "translate(40px, 60px)";
            }),
          stage.driver.place,
        );
        await Promise.all([stage.page.mouse.down(), stage.page.mouse.up()]);
        await stage.shortly();
        await stage.settle();
      },
    },
  },
  {
    name: "the window changes its size at the click",
    attack: {
      answer: moved((stage) => stage.page.setViewportSize({ width: 520, height: 360 })),
    },
    expects: { check: (stage) => stage.page.setViewportSize({ width: 1280, height: 800 }) },
  },
  {
    name: "another request replaces the one under the pointer",
    twin: { script: [[call("pay", ADA), wait], []], answer: openRun },
    attack: {
      script: [[call("pay", ADA), wait, result("not needed"), call("pay", MALLORY, "d"), wait]],
      answer: async (stage) => {
        await stage.ready();
        await stage.aim();
        stage.agent.proceed();
        await stage.changed("5000");
        await stage.quick();
        await stage.shortly();
        await stage.settle();
      },
    },
  },
  {
    name: "the mouse button is pressed elsewhere and released on Approve",
    attack: {
      answer: async (stage) => {
        await stage.ready();
        const { x, y } = await stage.aim();
        await stage.page.mouse.move(1100, 100);
        await stage.page.mouse.down();
        await stage.page.mouse.move(x, y, { steps: 4 });
        await stage.page.mouse.up();
        await stage.settle();
      },
    },
  },
  {
    name: "Approve moves under the pointer between press and release",
    attack: {
      before: (stage) => stage.do(() => void globalThis.attack.bait("Next")),
      answer: async (stage) => {
        await stage.read();
        const bait = await stage.page.locator("#bait").boundingBox();
        const { x, y } = await stage.aim();
        await stage.page.mouse.move(bait.x + 50, bait.y + 20);
        await stage.page.mouse.down();
        const by = [bait.x + 50 - x, bait.y + 20 - y];
        await stage.do(([place, dx, dy]) => {
          document.querySelector(place).style.transform = `translate(${dx}px, ${dy}px)`;
          document.querySelector("#bait").remove();
        }, [stage.driver.place, ...by]);
        await stage.page.mouse.up();
        await stage.settle();
      },
    },
  },
];
