// Attacks on requests that an application describes in a sentence and rows: details are missing, or parts cannot be
// seen.

import { call } from "../agent.mjs";

const DEPLOYS = { environment: "production", version: "9.9.9" };
const name = "deployApplication";
const deploys = (args) => [[call(name, args)]];
const twin = { name, script: deploys(DEPLOYS), ran: [[name, DEPLOYS]] };

const below = ({ driver: { card, parts } }, part) => `${card} ${parts[part]}`;

const styled = (title, part, declarations) => ({
  name: title,
  twin,
  attack: { before: (stage) => stage.do((rule) => void globalThis.attack.rules(rule), `${below(stage, part)} { ${declarations} }`) },
  expects: { hides: true },
});
const covered = (title, part, words) => ({
  name: title,
  twin,
  attack: { before: (stage) => stage.do((given) => void globalThis.attack.cover(given), { over: below(stage, part), words }) },
  expects: { hides: true },
});

/** Arguments that may run, once they were shown to their end, and patterns that the request must match. */
const shown = (title, args, ...shows) => ({
  name: title,
  twin,
  attack: {
    script: deploys(args),
    answer: async (stage) => {
      await stage.scroll();
      await stage.read(1500);
      await stage.press();
    },
  },
  // The handler takes only the two arguments that it knows.
  expects: { ran: [[name, { environment: args.environment, version: args.version }]], shows },
});

export const described = [
  styled("a row is transparent", "row", "opacity: 0.02 !important"),
  styled("a row is hidden", "row", "visibility: hidden !important"),
  styled("a row has no height", "row", "block-size: 0 !important; min-block-size: 0 !important; overflow: hidden !important; padding: 0 !important"),
  styled("a row is not displayed", "row", "display: none !important"),
  styled("a row is clipped", "row", "clip-path: inset(0 100% 0 0) !important"),
  styled("a row is moved out of view", "row", "transform: translateX(-3000px) !important"),
  styled("the warning is not displayed", "risk", "display: none !important"),
  styled("the preview of the change is transparent", "preview", "opacity: 0.02 !important"),
  covered("a cover over a row", "row", ""),
  covered("another text over a row", "row", "Version 2.4.0"),
  covered("a cover over the warning", "risk", ""),
  covered("a cover over the preview of the change", "preview", "No change"),
  shown("an argument that the description omits", { ...DEPLOYS, notify: "mallory" }, /"notify": "mallory"/),
  shown("a long argument that the description omits", { ...DEPLOYS, notes: "n".repeat(900) }, /n{900}/),
  shown("an argument that resembles a described one", { ...DEPLOYS, "versi\u043en": "6.6.6" }, /U\+043E/, /6\.6\.6/),
  shown("a zero-width character in a row", { ...DEPLOYS, version: "9.9.9\u200b" }, /U\+200B/),
];
