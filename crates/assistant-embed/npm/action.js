// Validates an action of the page, and converts it for the program: a definition as JSON, and functions that never throw.
import { contextFor } from "./context.js";
import { NUMBER_MODES, calling, handling, later, reading, refuseUnknown, snapshot } from "./foreign.js";
import { drawing } from "./render.js";

const isText = (value) => typeof value === "string";
const isName = (value) => isText(value) && value !== "";
const isFlag = (value) => typeof value === "boolean";
const isFunction = (value) => typeof value === "function";
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isCount = (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32;
const isTexts = (value) => Array.isArray(value) && value.every(isText);
const isOneOf = (...values) => (value) => values.includes(value);
const either = (...checks) => (value) => checks.some((check) => check(value));

/** The fields of `limits`. */
const LIMITS = {
  calls: (value) => Array.isArray(value) && value.length === 2 && value.every(isCount),
  concurrent: isCount,
  perRun: isCount,
};
const isLimits = (value) => isObject(value) && Object.entries(value).every(([name, limit]) => Object.hasOwn(LIMITS, name) && LIMITS[name](limit));
const isMaxima = (value) => isObject(value) && Object.values(value).every(Number.isFinite);

const FLAG = [isFlag, "true or false"];
const TEXT = [isText, "a text"];
const COUNT = [isCount, "a whole number"];
const FUNCTION = [isFunction, "a function"];

/** The fields of an action, each with its check and the type it must have. */
export const FIELDS = {
  name: [isName, "a text"],
  description: [either(isText, isFunction), "a text or a function"],
  parameters: [either(isObject, isFunction), "a JSON Schema, an object, or a function"],
  enabled: [either(isFlag, isFunction), "true, false or a function"],
  handler: FUNCTION,
  approval: [either(isOneOf("always", "never"), isFunction), '"always", "never" or a function'],
  onlyUserApproves: FLAG,
  alwaysAsk: FLAG,
  rememberFor: [isTexts, "a list of texts"],
  rememberUses: COUNT,
  rememberLasts: [(value) => Number.isSafeInteger(value) && value >= 0, "a whole number of milliseconds"],
  rememberUpTo: [isMaxima, "an object of JSON Pointers and numbers"],
  denial: FUNCTION,
  title: TEXT,
  titleWhileRunning: TEXT,
  describe: FUNCTION,
  risk: [isOneOf("plain", "attention", "danger"), '"plain", "attention" or "danger"'],
  permission: FUNCTION,
  limits: [isLimits, "an object with `calls: [count, milliseconds]`, `concurrent` and `perRun`"],
  sanitize: FUNCTION,
  preview: FUNCTION,
  render: FUNCTION,
  renderApproval: FUNCTION,
  streamArgs: FLAG,
  renderOnly: FLAG,
  runByAgent: FLAG,
  exclusive: FLAG,
  eager: FLAG,
  idempotent: FLAG,
  detached: FLAG,
  timeoutMs: COUNT,
  tags: [isTexts, "a list of texts"],
  alwaysOffered: FLAG,
  version: TEXT,
  textResult: FLAG,
  unchecked: FLAG,
  numbers: [isOneOf(...NUMBER_MODES), `one of ${NUMBER_MODES.join(", ")}`],
};

/** Reads what a description of a call is: a sentence, or a sentence and rows. */
function description(value) {
  if (isText(value)) return [value, []];
  const { sentence, rows = [] } = value;
  if (!isText(sentence)) throw new TypeError("it must return a text, or an object with a text `sentence`");
  return [sentence, Array.from(rows, ([name, cell]) => [`${name}`, `${cell}`])];
}

function boolean(value) {
  if (!isFlag(value)) throw new TypeError("it must return true or false");
  return value;
}

function text(value) {
  if (!isText(value)) throw new TypeError("it must return a text");
  return value;
}

function schema(value) {
  if (!isObject(value)) throw new TypeError("it must return a JSON Schema, an object");
  return value;
}

function permission(value) {
  if (!isFlag(value) && !isText(value)) throw new TypeError("it must return true, or the reason for a refusal");
  return value;
}

const anything = (value) => value;

/** Functions that are called for their current value: what they must return, and the value if one fails. */
const CURRENT = { description: [text], parameters: [schema], enabled: [boolean, false] };
/** Functions of the arguments that answer at once. */
const NOW = { describe: description, denial: anything, sanitize: anything };
/** Functions of the arguments that may return a promise, which must settle within ten seconds. */
const LATER = { approval: boolean, permission, preview: anything };

/** Converts an action to the arguments of the program's `registerAction`. Throws a `TypeError` that names the field. */
export function convertAction(action) {
  const where = "registerAction";
  if (!isObject(action)) throw new TypeError(`${where}: an object is needed`);
  refuseUnknown(where, action, Object.keys(FIELDS));
  const fields = snapshot(where, action, FIELDS);
  if (fields.name === undefined) throw new TypeError(`${where}: \`name\` must be a text`);
  const { numbers = "refuse" } = fields;
  const functions = {};
  const definition = {};
  for (const [field, value] of Object.entries(fields)) {
    const named = `action ${JSON.stringify(fields.name)}: \`${field}\``;
    if (!isFunction(value)) definition[field] = value;
    else if (Object.hasOwn(CURRENT, field)) functions[field] = reading(named, value, ...CURRENT[field]);
    else if (Object.hasOwn(NOW, field)) functions[field] = calling(named, value, numbers, NOW[field]);
    else if (Object.hasOwn(LATER, field)) functions[field] = later(named, value, numbers, LATER[field]);
    else if (field === "handler") functions[field] = handling(value, numbers, contextFor);
    else functions[field] = drawing(named, "call", value);
  }
  return [JSON.stringify(definition), functions, numbers !== "refuse"];
}
