// Functions of the page that draw calls, parts and questions into an element.
import { JSON_VALUE, OBJECT, OPTIONAL_OBJECT, OPTIONAL_TEXT, REMEMBER, copiesOf, needFunction } from "./checks.js";
import { reason, reportingListener } from "./foreign.js";
import { enter } from "./stopped.js";

/** The decisions that each kind of object accepts, with the checks of their arguments. */
const DECISIONS = {
  call: {
    approve: [],
    approveWith: [OBJECT],
    approveAndRemember: [OPTIONAL_OBJECT, REMEMBER],
    deny: [OPTIONAL_TEXT],
    reply: [JSON_VALUE],
  },
  part: {},
  interrupt: { answer: [JSON_VALUE], giveUp: [] },
};

/** Creates the object that a function of the page draws, from the program's object. */
function objectFor(kind, view) {
  const current = () => JSON.parse(enter(() => view.current()));
  const decision = (name, types) => (...args) => {
    const copies = copiesOf(name, types, args);
    enter(() => view.decide(name, JSON.stringify(copies)));
  };
  const decisions = Object.entries(DECISIONS[kind]).map(([name, types]) => [name, decision(name, types)]);
  return Object.freeze({
    current,
    subscribe(listener) {
      const notify = reportingListener("subscribe", needFunction("subscribe", listener));
      let ended = false;
      enter(() => view.watch((text) => void (ended || notify(text))));
      return () => void (ended = true);
    },
    ...Object.fromEntries(decisions),
  });
}

/**
 * Wraps a function that draws. The wrapper never throws: it returns the reason of a failure, or a function that is
 * called when the view is removed, which never throws either.
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
