// Functions of the page that draw calls, parts and questions into an element.
import { json, reason, reportingListener } from "./foreign.js";
import { REMEMBER } from "./remember.js";
import { enter } from "./stopped.js";

const isText = (value) => typeof value === "string";
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** The decisions that each kind of object takes, with the checks of their arguments. */
const DECISIONS = {
  call: {
    approve: [],
    approveWith: [[isObject, "an object"]],
    approveAndRemember: [
      [(value) => value === null || isObject(value), "an object, or null"],
      REMEMBER,
    ],
    deny: [[(value) => value == null || isText(value), "a text, or nothing"]],
    reply: [[() => true, "JSON"]],
  },
  part: {},
  interrupt: { answer: [[() => true, "JSON"]], giveUp: [] },
};

/** Creates the object that a function of the page draws, from that of the program. */
function objectFor(kind, view) {
  const current = () => JSON.parse(enter(() => view.current()));
  const decision = (name, types) => (...args) => {
    const copies = JSON.parse(json(`${name}: the arguments`, types.map((_, at) => args[at])));
    types.forEach(([check, what], at) => {
      if (!check(copies[at])) throw new TypeError(`${name}: argument ${at + 1} must be ${what}`);
    });
    enter(() => view.decide(name, JSON.stringify(copies)));
  };
  const decisions = Object.entries(DECISIONS[kind]).map(([name, types]) => [name, decision(name, types)]);
  return Object.freeze({
    current,
    subscribe(listener) {
      if (typeof listener !== "function") throw new TypeError("subscribe: a function is needed");
      const tell = reportingListener("subscribe", listener);
      let ended = false;
      enter(() => view.watch((text) => void (ended || tell(text))));
      return () => void (ended = true);
    },
    ...Object.fromEntries(decisions),
  });
}

/**
 * Wraps a function that draws. It never throws: it returns the reason of a failure, or a function that is called when
 * the view is removed, which never throws either.
 */
export function drawing(named, kind, draw) {
  const complain = (why) => console.error(`leptos-assistant: ${named}: ${why}`);
  return (view, element) => {
    try {
      const end = draw(objectFor(kind, view), element);
      if (end !== undefined && typeof end !== "function") throw new TypeError("it must return nothing, or a function");
      return () => {
        try {
          end?.();
        } catch (error) {
          complain(reason(error));
        }
      };
    } catch (error) {
      const why = reason(error);
      complain(why);
      return why;
    }
  };
}
