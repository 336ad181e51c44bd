// What the page gives, made harmless before the program sees it: a getter or a proxy of the page's that throws while the
// program asks for something would cut the program off. Everything that comes out of here is text, or lists of text.

/** The longest result of a handler that is taken, in characters of JSON. */
const MAX_RESULT = 10_000_000;
/** How much of an error's message is told. */
const MAX_REASON = 2_000;

/** How a handler gets integers that a `number` does not hold exactly. */
const NUMBERS = { string: String, bigint: BigInt };

/** The values of an action's option `numbers`. */
export const NUMBER_MODES = ["refuse", ...Object.keys(NUMBERS)];

/**
 * A handler that gets JSON and never throws: it gives `[true, JSON]`, or `[false, reason]`. `exact` is JSON of the paths and digits of
 * integers beyond what a `number` holds; the handler gets them as `numbers` says, which the program has refused where it is "refuse".
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

/** Puts exact integers back into parsed arguments. Each path leads to a property that `JSON.parse` has made. */
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

/** Refuses names of options that do not exist: a misspelt one would leave its default in force without a word. */
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

/** What a thrown value says, whatever it is. */
function reason(error) {
  try {
    const said = typeof error === "string" ? error : error.message;
    if (said !== "" && ["string", "number", "bigint", "symbol"].includes(typeof said)) return String(said).slice(0, MAX_REASON);
  } catch {
    // One that cannot be asked says nothing.
  }
  return "The handler failed";
}

/** A highlighter that never throws and gives pairs of text. */
export function highlighting(highlight) {
  return async (code, language) => {
    try {
      return Array.from(await highlight(code, language), ([text, classes]) => [`${text}`, `${classes ?? ""}`]);
    } catch {
      return [];
    }
  };
}

/** Headers as pairs that a request can carry. */
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

/** Whether this is an element of HTML, of whatever window: it is asked for something that no other thing has. */
export function isElement(value) {
  try {
    Object.getOwnPropertyDescriptor(HTMLElement.prototype, "hidden").get.call(value);
    return true;
  } catch {
    return false;
  }
}
