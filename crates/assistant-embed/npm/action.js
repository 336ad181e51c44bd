// Validates an action of the page, and converts it for the program: a definition as JSON, and functions that never throw.
import { COUNT, FLAG, FUNCTION, TEXT, TEXTS, either, flag, has, isCount, isFlag, isFunction, isObject, isOneOf, isText, isWhole, permission } from "./checks.js";
import { contextFor } from "./context.js";
import { NUMBER_MODES, calling, callingAsync, handling, reading, refuseUnknown, snapshot } from "./foreign.js";
import { drawing } from "./render.js";

const isName = (value) => isText(value) && value !== "";
const isLimits = has({
  calls: (value) => Array.isArray(value) && value.length === 2 && value.every(isCount),
  concurrent: isCount,
  perRun: isCount,
});
const isMaxima = (value) => isObject(value) && Object.values(value).every(Number.isFinite);

/** The fields of an action, each with its predicate and the name of its type. */
export const FIELDS = {
  name: [isName, "a text"],
  description: [either(isText, isFunction), "a text or a function"],
  parameters: [either(isObject, isFunction), "a JSON Schema, an object, or a function"],
  enabled: [either(isFlag, isFunction), "true, false or a function"],
  handler: FUNCTION,
  approval: [either(isOneOf("always", "never"), isFunction), '"always", "never" or a function'],
  onlyUserApproves: FLAG,
  alwaysAsk: FLAG,
  rememberFor: TEXTS,
  rememberUses: COUNT,
  rememberLasts: [isWhole, "a whole number of milliseconds"],
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
  tags: TEXTS,
  alwaysOffered: FLAG,
  version: TEXT,
  textResult: FLAG,
  unchecked: FLAG,
  numbers: [isOneOf(...NUMBER_MODES), `one of ${NUMBER_MODES.join(", ")}`],
};

/** Converts the description of a call, which is a sentence, or a sentence and rows. */
function description(value) {
  if (isText(value)) return [value, []];
  const { sentence, rows = [] } = value;
  if (!isText(sentence)) throw new TypeError("it must return a text, or an object with a text `sentence`");
  return [sentence, Array.from(rows, ([name, cell]) => [`${name}`, `${cell}`])];
}

function text(value) {
  if (!isText(value)) throw new TypeError("it must return a text");
  return value;
}

function schema(value) {
  if (!isObject(value)) throw new TypeError("it must return a JSON Schema, an object");
  return value;
}

const anything = (value) => value;

/**
 * The functions that are called for their current value, with the type that they must return and the value that is used
 * if a function fails.
 */
const CURRENT = { description: [text], parameters: [schema], enabled: [flag, false] };
/** The functions of the arguments that return their answer synchronously. */
const NOW = { describe: description, denial: anything, sanitize: anything };
/** The functions of the arguments that may return a promise, which must settle within ten seconds. */
const LATER = { approval: flag, permission, preview: anything };

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
    else if (Object.hasOwn(LATER, field)) functions[field] = callingAsync(named, value, numbers, LATER[field]);
    else if (field === "handler") functions[field] = handling(value, numbers, contextFor);
    else functions[field] = drawing(named, "call", value);
  }
  return [JSON.stringify(definition), functions, numbers !== "refuse"];
}
