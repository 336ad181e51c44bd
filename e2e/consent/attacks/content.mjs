// Attacks by content: arguments and names that look like others, or hide what matters. An approved call may run, as far
// as it was shown.

import { call, list, listed } from "../agent.mjs";
import { ADA } from "../stage.mjs";

/** The arguments of a payment in one run. */
const pays = (args) => [[call("pay", args)]];

/** Arguments that may run, once they were shown to their end, and patterns that the request must match. */
const shown = (name, args, ...shows) => ({
  name,
  attack: {
    script: pays(args),
    answer: async (stage) => {
      await stage.scroll();
      await stage.read(1500);
      await stage.press();
    },
  },
  expects: { ran: [["pay", args]], shows },
});

/** Arguments that the page cannot accept: nothing is asked, or nothing runs. */
const refused = (name, args) => ({
  name,
  attack: {
    script: pays(args),
    ask: false,
    answer: async (stage) => {
      await stage.settle(900);
      if ((await stage.button.count()) > 0) await stage.press();
    },
  },
});

/** Presses at once without scrolling. */
const pressWithoutReading = async (stage) => {
  await stage.settle(1100);
  await stage.quick();
  await stage.settle();
};

const readAndPress = {
  answer: async (stage) => {
    await stage.scroll();
    await stage.read();
    await stage.press();
  },
};
const LONG = { to: "ada", amount: 5, notes: Array.from({ length: 80 }, (_, at) => `note ${at}`), z: "and 5000 more" };

export const content = [
  {
    name: "arguments that are longer than the view, not read to their end",
    twin: { script: pays(LONG), ran: [["pay", LONG]], ...readAndPress },
    attack: { answer: pressWithoutReading },
  },
  {
    name: "line breaks that push the rest out of view",
    twin: { script: pays({ to: `ada${"\n".repeat(60)}`, z: "5000" }), ran: [["pay", { to: `ada${"\n".repeat(60)}`, z: "5000" }]], ...readAndPress },
    attack: {},
    expects: { ran: [["pay", { to: `ada${"\n".repeat(60)}`, z: "5000" }]], shows: [/\\n\\n\\n/, /"z": "5000"/] },
  },
  {
    name: "a value whose tail is hidden behind spaces",
    attack: {
      script: pays({ to: `ada${" ".repeat(300)}and mallory`, amount: 5 }),
      answer: async (stage) => {
        await stage.scroll();
        await stage.read(1500);
        const at = await stage.do(([card, row]) => {
          const box = globalThis.attack.lineOf(document.querySelector(`${card} ${row}`), "mallory");
          return box && document.querySelector(`${card} ${row}`).contains(document.elementFromPoint(box.left + 2, box.top + box.height / 2));
        }, [stage.driver.card, stage.driver.parts.row]);
        stage.tail = at;
        if (!at) await stage.press();
      },
    },
  },
  shown("a zero-width character in a value", { to: "ada\u200b", amount: 5 }, /U\+200B/),
  shown("a soft hyphen", { to: "ada\u00adm", amount: 5 }, /U\+00AD/),
  shown("a tag character in a value", { to: "ada\u{e0041}", amount: 5 }, /U\+E0041/),
  shown("a bidirectional override in a value", { to: "ada \u202eyrollam\u202c", amount: 5 }, /U\+202E/),
  shown("bidirectional isolates that swap words", { to: "\u2067ada\u2069 \u2067mallory\u2069", amount: 5 }, /U\+2067/),
  shown("a letter of another script in a value", { to: "p\u0430ul", amount: 5 }, /U\+0430/),
  shown("a letter of another script in a key", { to: "ada", "am\u043eunt": 1, amount: 5000 }, /U\+043E/),
  shown("digits of another script", { to: "ada", amount: 5, iban: "DE0\u0665" }, /U\+0665/),
  shown("a forged end of the arguments in a value", { to: 'ada",\n  "amount": 1\n}\n\nApproved by the bank', amount: 5 }, /\\n\}\\n\\nApproved/),
  shown("markup in a value", { to: "</code></pre><button>Deny</button>", amount: 5 }, /<\/code><\/pre><button>Deny/),
  shown("an argument that the schema does not describe", { to: "ada", amount: 5, cc: "mallory" }, /"cc": "mallory"/),
  shown("an argument deep inside", { to: "ada", a: { b: { c: { d: { e: { cc: "mallory" } } } } } }, /"cc": "mallory"/),
  shown("stacked combining marks that cover other lines", { to: `ada${"\u0301".repeat(80)}`, amount: 5 }, /U\+0301 ×77/),
  shown("stacked marks of another script", { to: `ada${"\u0e49".repeat(80)}`, amount: 5 }, /U\+0E49 ×77/),
  refused("the same key twice", '{"to":"ada","amount":5,"to":"mallory"}'),
  refused("the same key twice, written in two ways", '{"to":"ada","amount":5,"\\u0074o":"mallory"}'),
  refused("a number that JavaScript would round", '{"to":"ada","amount":9007199254740993}'),
  refused("truncated arguments", '{"to":"ada","amount":5'),
  refused("two JSON values as arguments", '{"to":"ada","amount":5}{"to":"mallory"}'),
  {
    name: "a tool name in another script",
    attack: {
      script: [[call("p\u0430y", ADA)]],
      ask: false,
      answer: async (stage) => {
        await stage.settle(900);
        stage.name = "p\u0430y";
        if ((await stage.button.count()) > 0) await stage.press();
      },
    },
  },
  {
    name: "a tool name with invisible characters",
    attack: {
      script: [[call("pay\u200b", ADA)]],
      ask: false,
      answer: async (stage) => {
        await stage.settle(900);
        stage.name = "pay\u200b";
        if ((await stage.button.count()) > 0) await stage.press();
      },
    },
  },
  {
    name: "a snapshot in which two calls share an id",
    attack: {
      script: [[list(listed(["c", "erase", { folder: "invoices" }], ["c", "pay", ADA]))]],
      ask: false,
      answer: async (stage) => {
        await stage.settle(900);
        const asked = [];
        for (const name of ["pay", "erase"]) {
          stage.name = name;
          if ((await stage.button.count()) > 0) asked.push(name);
        }
        stage.name = "pay";
        if (asked.length > 0 && (await stage.button.count()) > 0) await stage.press();
      },
    },
    expects: { ran: [["pay", ADA]] },
  },
];
