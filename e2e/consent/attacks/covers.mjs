// Attacks by covers: an element of the page is over the request, and lets the click through to Approve.

import { SHORTLY } from "../stage.mjs";

const HARMLESS = "Show the weather in Rotterdam?";

/** Adds a cover before the agent asks; `of` derives its options from the driver. */
const before = (of) => (stage) => stage.do((given) => void globalThis.attack.cover(given), of(stage.driver));
/** A cover as a whole attack. */
const withCover = (name, of, more = {}) => ({ name, attack: { before: before(of), ...more }, expects: { hides: true } });
const part = (driver, name) => `${driver.card} ${driver.parts[name]}`;
/** Waits until an approval counts, changes the page, and presses. */
const afterReading = (act) => async (stage) => {
  await stage.ready();
  await stage.aim();
  await act(stage);
  await stage.press();
};

export const covers = [
  withCover("a cover that appears with the request", ({ card }) => ({ over: card, words: HARMLESS })),
  withCover("a cover over the whole page, added before the request", () => ({ words: HARMLESS })),
  withCover("a popover in the top layer", ({ card }) => ({ over: card, open: "popover", words: HARMLESS })),
  withCover("a popover over the whole page", () => ({ open: "popover", words: HARMLESS })),
  withCover("a modal dialog of the page", ({ card }) => ({ over: card, tag: "dialog", open: "modal", words: HARMLESS })),
  withCover("a dialog of the page that is not modal", ({ card }) => ({ over: card, tag: "dialog", open: "dialog", words: HARMLESS })),
  withCover("a frame over the request", ({ card }) => ({ over: card, tag: "iframe" })),
  withCover("a canvas over the request", ({ card }) => ({ over: card, tag: "canvas" })),
  withCover("a cover with a hole for the button", (driver) => ({ over: driver.card }), {
    // The cover takes clicks; the hole is over the button.
    before: (stage) =>
      stage.do(([card, button]) => {
        const node = globalThis.attack.cover({ over: card, words: "Show the weather?", css: { pointerEvents: "auto" } });
        globalThis.attack.frames(() => {
          const [outer, inner] = [node, globalThis.attack.find(button)].map((one) => one?.getBoundingClientRect());
          if (!inner || !outer.width) return;
          const [left, top] = [inner.left - outer.left, inner.top - outer.top];
          const [right, bottom] = [left + inner.width, top + inner.height];
          const hole = `${left}px ${top}px, ${left}px ${bottom}px, ${right}px ${bottom}px, ${right}px ${top}px, ${left}px ${top}px`;
          node.style.clipPath = `polygon(evenodd, 0 0, 100% 0, 100% 100%, 0 100%, 0 0, ${hole})`;
        });
      }, [stage.driver.card, `${part(stage.driver, "buttons")} button`]),
  }),
  withCover("a cover over one argument", (driver) => ({ over: part(driver, "row"), line: "ada" })),
  withCover("another text over one argument", (driver) => ({ over: part(driver, "row"), line: "ada", words: "bob" })),
  withCover("a cover over the arguments", (driver) => ({ over: part(driver, "row") })),
  withCover("a cover over the title", (driver) => ({ over: part(driver, "title"), words: HARMLESS })),
  withCover("a cover with another label over the buttons", (driver) => ({ over: part(driver, "buttons"), words: "Next" })),
  withCover("thin strips over the request", ({ card }) => ({
    over: card,
    css: { background: "repeating-linear-gradient(white 0 3px, transparent 3px 4px)" },
  })),
  withCover("a layer that blurs its backdrop", ({ card }) => ({ over: card, css: { background: "transparent", backdropFilter: "blur(12px)" } })),
  withCover("a cover that is half transparent", ({ card }) => ({ over: card, css: { opacity: "0.93" }, words: HARMLESS })),
  withCover("a cover made by the style sheet without an element", ({ card }) => ({ card }), {
    before: (stage) =>
      stage.do(() => {
        const looks = "position: fixed; inset: 0; z-index: 9; background: white; pointer-events: none";
        globalThis.attack.rules(`body::after { content: "Next"; ${looks} }`);
      }),
  }),
  withCover("a cover in the shadow root of the page", () => ({}), {
    before: (stage) =>
      stage.do((card) => {
        const host = document.createElement("div");
        document.body.append(host);
        globalThis.attack.cover({ over: card, root: host.attachShadow({ mode: "closed" }), words: "Show the weather?" });
      }, stage.driver.card),
  }),
  withCover("a cover inside of the chat", ({ card }) => ({ card }), {
    before: (stage) =>
      stage.do(([card, place]) => {
        const root = (document.querySelector(place).shadowRoot ?? document.querySelector(place)).firstElementChild;
        globalThis.attack.cover({ over: card, root, words: "Show the weather?" });
      }, [stage.driver.card, stage.driver.place]),
  }),
  {
    name: "a cookie banner over the buttons, and a key that approves",
    attack: {
      before: before((driver) => ({ over: part(driver, "buttons"), words: "We use cookies", css: { pointerEvents: "auto" } })),
      answer: async (stage) => {
        await stage.read();
        await stage.key();
        await stage.settle(600);
        await stage.key();
      },
    },
    expects: { hides: true },
  },
  {
    name: "a cover that is removed shortly before the click",
    attack: {
      before: before(({ card }) => ({ over: card, words: HARMLESS })),
      answer: async (stage) => {
        await stage.read();
        await stage.aim();
        await stage.do(() => {
          const all = [...document.querySelectorAll("body > div")].filter((node) => node.textContent === "Show the weather in Rotterdam?");
          all.forEach((node) => (node.dataset.removed = "1"));
          globalThis.attack.times.mark();
        });
        await stage.settle(60);
        await stage.quick();
        await stage.shortly();
        await stage.settle();
      },
    },
  },
  {
    name: "a cover that is removed when the pointer arrives",
    attack: {
      before: (stage) =>
        stage.do((card) => {
          const node = globalThis.attack.cover({ over: card, words: "Show the weather?" });
          addEventListener("pointermove", ({ clientX, clientY }) => {
            const box = globalThis.attack.find(card)?.getBoundingClientRect();
            const inside = box && clientX > box.left && clientX < box.right && clientY > box.top && clientY < box.bottom;
            if (!inside || node.dataset.removed) return;
            node.dataset.removed = "1";
            globalThis.attack.times.mark();
          });
        }, stage.driver.card),
      answer: async (stage) => {
        await stage.read();
        await stage.quick();
        await stage.shortly();
        await stage.settle();
      },
    },
  },
  {
    name: "a cover that is added 300 ms before the click",
    attack: {
      answer: afterReading(async (stage) => {
        await stage.do((card) => void globalThis.attack.cover({ over: card, words: "Show the weather?" }), stage.driver.card);
        await stage.settle(300);
      }),
    },
    expects: { hides: true },
  },
  {
    name: "a cover that shows the request in short flashes",
    attack: {
      before: (stage) =>
        stage.do(({ card, shortly }) => {
          const node = globalThis.attack.cover({ over: card, words: "Show the weather?" });
          let since = null;
          let pressed = null;
          addEventListener("mouseup", ({ timeStamp }) => (pressed = timeStamp), true);
          globalThis.attack.frames(() => {
            // The cover is in the page as soon as the request is shown.
            if (!node.isConnected) return;
            const now = performance.now();
            const flashes = now % 450 < 60;
            node.style.visibility = flashes ? "hidden" : "visible";
            if (flashes) return void (since ??= now);
            // Slow frames make a flash longer. A press may count in a long flash, but not after it.
            if (since !== null && (now - since <= shortly || pressed >= since)) globalThis.attack.times.record(now, since);
            since = null;
          });
        }, { card: stage.driver.card, shortly: SHORTLY }),
      answer: async (stage) => {
        await stage.read();
        for (let press = 0; press < 4; press++) {
          await stage.quick();
          await stage.settle(170);
        }
        await stage.shortly();
      },
    },
  },
];
