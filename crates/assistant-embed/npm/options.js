// Validates the options of a chat that are values, and converts those of its session for the program.
import { FLAG, FUNCTION, TEXT, either, has, isCount, isFlag, isObject, isOneOf, isText, isWhole } from "./checks.js";
import { refuseUnknown, snapshot } from "./foreign.js";

const isList = (value) => Array.isArray(value) && value.length > 0 && value.every(isStopCondition);
/** The kinds of conditions that end the loop. */
const STOP = { runCount: isCount, hasToolCall: isText, repeatedCalls: isCount, rule: isText, any: isList, all: isList };
function isStopCondition(value) {
  return has(STOP)(value) && Object.keys(value).length === 1;
}

/** The limits on requests to the user; `null` is no limit. */
const isLimit = either(isCount, (value) => value === null);
const QUESTIONS = { perRun: isLimit, perMinute: isLimit };
const OPTIONS = {
  stopWhen: isStopCondition,
  sequential: isFlag,
  eager: isFlag,
  autoDeny: isFlag,
  rememberApprovals: isFlag,
  interjections: isFlag,
  forkThread: isFlag,
  questions: has(QUESTIONS),
  leftovers: isOneOf("keep", "drop", "send"),
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

/** The options of `mount` that concern the session. */
const FIELDS = {
  options: [has(OPTIONS), `an object with ${Object.keys(OPTIONS).join(", ")}`],
  limits: [has(LIMITS), `an object with ${Object.keys(LIMITS).join(", ")}`],
  initial: [(value) => value !== null && typeof value === "object", "a conversation"],
};

/** Returns the options of a session as JSON. */
export function sessionOptions(options) {
  const session = snapshot("mount", options, FIELDS);
  // As JSON such a number is `null`, which would remove the limit.
  const isLost = (limit) => typeof limit === "number" && !Number.isFinite(limit);
  if (Object.values(options.options?.questions ?? {}).some(isLost)) throw new TypeError("mount: `options` must be an object with limits of `questions` that are whole numbers, or null");
  return JSON.stringify(session);
}

function isOrigin(value) {
  try {
    return isText(value) && ["http:", "https:"].includes(new URL(value).protocol);
  } catch {
    return false;
  }
}

/** The fields of the option `attachments`. */
const ATTACHMENTS = { accept: isText, maxFiles: isCount, maxBytes: isWhole, maxTotalBytes: isWhole };
const isAttachments = (value) => isObject(value) && Object.entries(ATTACHMENTS).every(([name, check]) => value[name] === undefined || check(value[name]));
/** The options of `mount` that concern the window, the agent's protocol and the store. */
const LOOK = {
  label: TEXT,
  greeting: TEXT,
  highlight: FUNCTION,
  headingOffset: [(value) => isCount(value) && value <= 5, "a whole number from 0 to 5"],
  mediaOrigins: [(value) => Array.isArray(value) && value.every(isOrigin), 'a list of origins, such as "https://media.example.com"'],
  attachments: [isAttachments, "an object with a text `accept`, and whole numbers `maxFiles`, `maxBytes` and `maxTotalBytes`"],
  model: TEXT,
  resumes: FLAG,
  shadow: FLAG,
  reattach: [(value) => isText(value) && value !== "", "the address of stored runs"],
  storeName: TEXT,
  threadId: TEXT,
};

/** Returns copies of the given options of `mount` or `update`. Throws a `TypeError` that names an invalid option. */
export function lookOptions(where, options) {
  const known = snapshot(where, options, LOOK);
  refuseUnknown(`${where}: \`attachments\``, known.attachments ?? {}, Object.keys(ATTACHMENTS));
  return known;
}
