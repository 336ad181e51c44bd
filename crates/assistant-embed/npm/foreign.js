// Validates values of the page before the program reads them: a getter or proxy that throws during a read would cut the
// program off. Every result here is text, or lists of text.

/** The longest accepted result of a handler, in characters of JSON. */
const MAX_RESULT = 10_000_000;
/** The length after which an error's message is cut. */
const MAX_REASON = 2_000;

/** The ways in which a handler gets integers that a `number` does not hold exactly. */
const NUMBERS = { string: String, bigint: BigInt };

/** The values of an action's option `numbers`. */
export const NUMBER_MODES = ["refuse", ...Object.keys(NUMBERS)];

/**
 * Wraps a handler: it gets JSON, never throws, and returns `[true, JSON]` or `[false, reason]`. `exact` is JSON of the
 * paths and digits of integers beyond the range of a `number`; the handler gets them as `numbers` says ("refuse" is
 * handled by the program).
 */
export function answering(handler, numbers) {
  return async (args, exact) => {
    let value;
    try {
      value = await handler(restored(JSON.parse(args), JSON.parse(exact), NUMBERS[numbers]));
    } catch (error) {
      return [false, reason(error)];
    }
    const json = value === undefined ? "null" : stringified(value);
    if (json === undefined) return [false, "The handler's result is no JSON"];
    if (json.length > MAX_RESULT) return [false, "The handler's result is too large"];
    return [true, json];
  };
}

/** Puts exact integers back into parsed arguments. Each path leads to a property that `JSON.parse` has created. */
function restored(args, exact, read) {
  const root = { args };
  for (const [path, digits] of exact) {
    const keys = ["args", ...path];
    const last = keys.pop();
    const parent = keys.reduce((value, key) => value[key], root);
    parent[last] = read(digits);
  }
  return root.args;
}

/** Rejects names of options that do not exist: a misspelt one would silently leave its default in force. */
export function refuseUnknown(where, options, known) {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `\`${name}\``).join(", ");
  throw new TypeError(`${where}: unknown option ${names}; known are ${known.join(", ")}`);
}

function stringified(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Describes a thrown value of any type. */
function reason(error) {
  try {
    const said = typeof error === "string" ? error : error.message;
    if (said !== "" && ["string", "number", "bigint", "symbol"].includes(typeof said)) return String(said).slice(0, MAX_REASON);
  } catch {
    // A value that cannot be read has no description.
  }
  return "The handler failed";
}

/** Wraps a highlighter: it never throws and returns pairs of text. */
export function highlighting(highlight) {
  return async (code, language) => {
    try {
      return Array.from(await highlight(code, language), ([text, classes]) => [`${text}`, `${classes ?? ""}`]);
    } catch {
      return [];
    }
  };
}

/** Converts headers to pairs that a request can carry. */
export function headerPairs(headers) {
  return Object.entries(headers ?? {}).map(([name, value]) => {
    try {
      return [...new Headers([[name, value]])][0];
    } catch {
      const why = "a request can carry a name of letters, digits and hyphens, and a value of Latin-1 characters in one line";
      throw new TypeError(`The header ${JSON.stringify(name)} cannot be sent: ${why}`);
    }
  });
}

/** Tells whether a value is an HTML element of any window, by a property that no other object has. */
export function isElement(value) {
  try {
    Object.getOwnPropertyDescriptor(HTMLElement.prototype, "hidden").get.call(value);
    return true;
  } catch {
    return false;
  }
}
