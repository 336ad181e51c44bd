// Checks of values of the page. A check is a pair: a predicate, and the words for the type that it accepts.
import { json } from "./foreign.js";

export const isText = (value) => typeof value === "string";
export const isFlag = (value) => typeof value === "boolean";
export const isFunction = (value) => typeof value === "function";
export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
export const isTexts = (value) => Array.isArray(value) && value.every(isText);
/** Returns true if a value is a whole number that fits into a `u32` of the program. */
export const isCount = (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32;
/** Returns true if a value is a whole number that a `number` represents exactly. */
export const isWhole = (value) => Number.isSafeInteger(value) && value >= 0;
export const isOneOf = (...values) => (value) => values.includes(value);
export const either = (...checks) => (value) => checks.some((check) => check(value));
/** Returns true if an object has only these fields, each of which passes its predicate. */
export const has = (fields) => (value) => isObject(value) && Object.entries(value).every(([name, field]) => Object.hasOwn(fields, name) && fields[name](field));

export const TEXT = [isText, "a text"];
export const OPTIONAL_TEXT = [(value) => value == null || isText(value), "a text, or nothing"];
export const TEXTS = [isTexts, "a list of texts"];
export const FLAG = [isFlag, "true or false"];
export const COUNT = [isCount, "a whole number"];
export const FUNCTION = [isFunction, "a function"];
export const OBJECT = [isObject, "an object"];
export const OPTIONAL_OBJECT = [(value) => value === null || isObject(value), "an object, or null"];
export const JSON_VALUE = [() => true, "JSON"];

const SCOPES = ["conversation", "session", "always"];
const isBounds = has({
  scope: isOneOf(...SCOPES),
  anyArgs: isFlag,
  uses: isCount,
  lasts: isWhole,
  upTo: (value) => isObject(value) && Object.values(value).every(Number.isFinite),
});
/** The check for the options of a remembered approval, because a misspelt bound would leave the approval unbounded. */
export const REMEMBER = [
  (value) => isBounds(value) && value.scope !== undefined,
  `an object with a \`scope\` (${SCOPES.join(", ")}), and \`anyArgs\`, \`uses\`, \`lasts\`, \`upTo\``,
];

/** Returns copies of the arguments of a method, after checking them with `types`. */
export function copiesOf(name, types, args) {
  return types.map(([check, what], at) => {
    const copy = JSON.parse(json(`${name}: argument ${at + 1}`, args[at]));
    if (!check(copy)) throw new TypeError(`${name}: argument ${at + 1} must be ${what}`);
    return copy;
  });
}

/** Checks the answer of a permission rule. */
export function permission(value) {
  if (!isFlag(value) && !isText(value)) throw new TypeError("it must return true, or the reason for a refusal");
  return value;
}

/** Checks that an answer is true or false. */
export function flag(value) {
  if (!isFlag(value)) throw new TypeError("it must return true or false");
  return value;
}

/** Checks a price in millionths of a currency, and rounds it. */
export function micros(value) {
  if (value === null) return value;
  const rounded = typeof value === "number" ? Math.round(value) : NaN;
  if (!isWhole(rounded)) throw new TypeError("it must return a number of millionths, or null");
  return rounded;
}

/** Checks that an argument is a function. */
export function needFunction(where, value) {
  if (!isFunction(value)) throw new TypeError(`${where}: a function is needed`);
  return value;
}
