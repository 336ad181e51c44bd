// Validates the options of a session, and converts them for the program.
import { snapshot } from "./foreign.js";

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isText = (value) => typeof value === "string";
const isCount = (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32;
const isFlag = (value) => typeof value === "boolean";

/** Tells whether an object has only these fields, each of which passes its check. */
const has = (fields) => (value) => isObject(value) && Object.entries(value).every(([name, field]) => Object.hasOwn(fields, name) && fields[name](field));

const isList = (value) => Array.isArray(value) && value.length > 0 && value.every(isStopCondition);
/** The kinds of conditions that end the loop. */
const STOP = { runCount: isCount, hasToolCall: isText, repeatedCalls: isCount, rule: isText, any: isList, all: isList };
function isStopCondition(value) {
  return has(STOP)(value) && Object.keys(value).length === 1;
}

const OPTIONS = {
  stopWhen: isStopCondition,
  sequential: isFlag,
  eager: isFlag,
  autoDeny: isFlag,
  rememberApprovals: isFlag,
  interjections: isFlag,
  questions: has({ perRun: isCount, perMinute: isCount }),
  leftovers: (value) => ["keep", "drop", "send"].includes(value),
};
const LIMITS = Object.fromEntries(
  [
    "runBytes",
    "eventBytes",
    "messageBytes",
    "argumentBytes",
    "idBytes",
    "nameBytes",
    "stateBytes",
    "activityBytes",
    "patchCopiedBytes",
    "patchShiftedValues",
    "messages",
    "calls",
    "interrupts",
    "choices",
    "notices",
    "diagnostics",
    "sideEventBytes",
  ].map((name) => [name, isCount]),
);

/** The options of `mount` that concern its session. */
const FIELDS = {
  options: [has(OPTIONS), `an object with ${Object.keys(OPTIONS).join(", ")}`],
  limits: [has(LIMITS), `an object with ${Object.keys(LIMITS).join(", ")}`],
  initial: [(value) => value !== null && typeof value === "object", "a conversation"],
};

/** Returns the options of a session as JSON. */
export const sessionOptions = (options) => JSON.stringify(snapshot("mount", options, FIELDS));
