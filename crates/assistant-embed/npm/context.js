// The second argument of a handler: the running call, and what a handler can do with it.
import { FLAG, TEXT, isText } from "./checks.js";
import { json, refuseUnknown, snapshot } from "./foreign.js";
import { enter } from "./stopped.js";

/** The fields of `confirm`. */
const CONFIRM = {
  title: TEXT,
  text: TEXT,
  danger: FLAG,
};

function needText(where, value) {
  if (!isText(value)) throw new TypeError(`${where} must be a text`);
  return value;
}

/** Calls a function of the program that returns a promise of JSON, and parses the JSON. */
const promised = async (act) => JSON.parse(await enter(act));

/** Creates the context of a handler from the program's context object. */
export function contextFor(call) {
  const controller = new AbortController();
  call.onAbort(() => controller.abort());
  return Object.freeze({
    ...JSON.parse(call.facts()),
    signal: controller.signal,
    progress(fraction, text = "") {
      if (fraction != null && !Number.isFinite(fraction)) throw new TypeError("progress: the fraction must be a number");
      needText("progress: the text", text);
      enter(() => call.progress(fraction ?? undefined, text));
    },
    preliminary(value) {
      const text = json("preliminary: the value", value);
      enter(() => call.preliminary(text));
    },
    stopLoop: () => enter(() => call.stopLoop()),
    history: () => JSON.parse(enter(() => call.history())),
    toolHistory: () => JSON.parse(enter(() => call.toolHistory())),
    async execute(name, args = {}) {
      needText("execute: the name", name);
      const text = json("execute: the arguments", args);
      return promised(() => call.execute(name, text));
    },
    async ask(question) {
      const text = json("ask: the question", question);
      return promised(() => call.ask(text));
    },
    async askWith(question, schema) {
      const [text, form] = [json("askWith: the question", question), json("askWith: the schema", schema)];
      return promised(() => call.ask(text, form));
    },
    async confirm(options) {
      refuseUnknown("confirm", options ?? {}, Object.keys(CONFIRM));
      const { title = "", text = "", danger = false } = snapshot("confirm", options ?? {}, CONFIRM);
      if (title === "") throw new TypeError("confirm: `title` must be a text");
      return promised(() => call.confirm(title, text, danger));
    },
    async untilRegistered(name) {
      needText("untilRegistered: the name", name);
      await promised(() => call.untilRegistered(name));
    },
  });
}
