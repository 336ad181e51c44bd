// Validates values of the page before the program reads them: a getter or proxy that throws during a read would cut the
// program off. Every result here is text, or lists of text.

/** The maximum length of a handler's result, in characters of JSON. */
const MAX_RESULT = 10_000_000;
/** The length to which an error's message is truncated, in characters. */
const MAX_REASON = 2_000;

/** The functions that convert integers that a `number` does not represent exactly. */
const NUMBERS = { string: String, bigint: BigInt };

/** The values of an action's option `numbers`. */
export const NUMBER_MODES = ["refuse", ...Object.keys(NUMBERS)];

/** The time within which a rule must answer, in milliseconds. After that, the rule counts as failed. */
const MAX_WAIT_MS = 10_000;

/**
 * Wraps a handler. The wrapper takes JSON, never throws, and returns `[true, JSON]` or `[false, reason]`. `exact` is
 * JSON with the paths and digits of integers beyond the range of a `number`; the handler receives them in the form that
 * `numbers` selects (the program handles "refuse"). `convert` creates the handler's second argument from the program's.
 */
export function handling(handler, numbers, convert) {
  return async (args, exact, context) => {
    try {
      return written(await handler(restored(args, exact, numbers), convert(context)), "The handler's");
    } catch (error) {
      return [false, reason(error)];
    }
  };
}

/** Wraps a synchronous function of the arguments; `read` converts the function's answer, or throws. */
export function calling(named, rule, numbers, read) {
  const complain = complaining(named);
  return (args, exact, more) => {
    try {
      return written(read(rule(restored(args, exact, numbers), JSON.parse(more) ?? undefined)));
    } catch (error) {
      return complain(error);
    }
  };
}

/** Wraps a function of the arguments that may return a promise; `read` converts the function's answer, or throws. */
export function callingAsync(named, rule, numbers, read) {
  const complain = complaining(named);
  return async (args, exact, more) => {
    try {
      return written(read(await withTimeout(rule(restored(args, exact, numbers), more))));
    } catch (error) {
      return complain(error);
    }
  };
}

/** Wraps a listener. The wrapper takes JSON and never throws; failures are reported in the console. */
export function reportingListener(named, listener) {
  const complain = complaining(`\`${named}\``);
  return (text) => {
    try {
      const outcome = listener(JSON.parse(text));
      // The failure of an asynchronous listener is reported, too.
      if (outcome instanceof Promise) outcome.catch(complain);
    } catch (error) {
      complain(error);
    }
  };
}

/**
 * Wraps a function that is called for its current value. If the function fails, its previous value is used, or
 * `fallback`.
 */
export function reading(named, value, read, fallback) {
  const complain = complaining(named);
  let last = [false, ""];
  return () => {
    try {
      last = written(read(value()));
    } catch (error) {
      complain(error);
      if (fallback !== undefined) return written(fallback);
    }
    return last;
  };
}

/** Returns a promise of a value, which is rejected if the value is not available in time. */
export function withTimeout(value) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It has not answered within ${MAX_WAIT_MS / 1000} seconds`)), MAX_WAIT_MS);
  });
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}

/** Returns a function that reports failures in the console, each once, and returns the last failure for the program. */
export function complaining(named) {
  let last;
  return (error) => {
    const why = reason(error);
    if (why !== last) console.error(`leptos-assistant: ${named}: ${why}`);
    last = why;
    return [false, why];
  };
}

/** Converts a result for the program, or throws a `TypeError`. `whose` is the beginning of the error. */
export function written(value, whose = "its") {
  if (isPromise(value)) throw new TypeError("it must not return a promise");
  const json = value === undefined ? "null" : stringified(value);
  if (json === undefined) throw new TypeError(`${whose} result is no JSON`);
  if (json.length > MAX_RESULT) throw new TypeError(`${whose} result is too large`);
  return [true, json];
}

const isPromise = (value) => typeof value?.then === "function";

/**
 * Parses arguments, and inserts exact integers into them. Each path refers to a property that `JSON.parse` has created.
 */
function restored(args, exact, numbers) {
  const root = { args: JSON.parse(args) };
  const read = NUMBERS[numbers];
  for (const [path, digits] of JSON.parse(exact)) {
    const keys = ["args", ...path];
    const last = keys.pop();
    const parent = keys.reduce((value, key) => value[key], root);
    parent[last] = read(digits);
  }
  return root.args;
}

/** Rejects names of options that do not exist, because a misspelt option would silently have its default. */
export function refuseUnknown(where, options, known) {
  const unknown = namesOf(where, options).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `\`${name}\``).join(", ");
  throw new TypeError(`${where}: unknown option ${names}; known are ${known.join(", ")}`);
}

function namesOf(where, options) {
  try {
    return Object.keys(options);
  } catch {
    throw new TypeError(`${where}: the object cannot be read`);
  }
}

/**
 * Reads each field of an object once. Functions are not copied; other values are copied as JSON. `fields` has a
 * predicate and the name of the type for each field.
 */
export function snapshot(where, object, fields) {
  const read = {};
  for (const [name, [check, what]] of Object.entries(fields)) {
    const wrong = (why) => new TypeError(`${where}: \`${name}\` ${why}`);
    let value;
    try {
      value = object[name];
    } catch {
      throw wrong("cannot be read");
    }
    if (value === undefined) continue;
    if (typeof value !== "function") {
      const json = stringified(value);
      if (json === undefined) throw wrong(`must be ${what}`);
      value = JSON.parse(json);
    }
    if (!check(value)) throw wrong(`must be ${what}`);
    read[name] = value;
  }
  return read;
}

/**
 * Serializes a value as JSON, maps as objects and sets as lists. Returns `undefined` for a value that cannot be JSON, which
 * includes a promise at any level.
 */
export function stringified(value) {
  try {
    return JSON.stringify(value, (_, value) => {
      if (isPromise(value)) throw new TypeError("a promise is no JSON");
      if (value instanceof Map) return Object.fromEntries(value);
      return value instanceof Set ? [...value] : value;
    });
  } catch {
    return undefined;
  }
}

/** Serializes a value as JSON, or throws a `TypeError`. */
export function json(where, value) {
  const text = value === undefined ? "null" : stringified(value);
  if (text === undefined) throw new TypeError(`${where} must be JSON`);
  return text;
}

/** Describes a thrown value of any type. */
export function reason(error) {
  try {
    const message = typeof error === "string" ? error : error.message;
    if (message !== "" && ["string", "number", "bigint", "symbol"].includes(typeof message)) return String(message).slice(0, MAX_REASON);
  } catch {
    // A value that cannot be read has no description.
  }
  return "The handler failed";
}

/** Wraps a highlighter. The wrapper never throws, and returns pairs of text and classes. */
export function highlighting(highlight) {
  const complain = complaining("`highlight`");
  return async (code, language) => {
    try {
      return Array.from(await highlight(code, language), ([text, classes]) => [`${text}`, `${classes ?? ""}`]);
    } catch (error) {
      complain(error);
      return [];
    }
  };
}

/** Wraps an observer of events. The observer is called later, in order, and its errors are reported. */
export function observing(observer) {
  return (type, id, name, detail) => {
    const event = {
      message: { type, id, role: name },
      approval: { type, id: Number(id), name },
      action: { type, id: Number(id), name, phase: detail },
      question: { type },
      error: { type, message: id },
    }[type];
    queueMicrotask(() => {
      try {
        observer(event);
      } catch (error) {
        reportError(error);
      }
    });
  };
}

/**
 * Converts headers to pairs that are valid in a request. Headers are an object, an instance of `Headers`, a map, or a list
 * of pairs. A header whose value is `undefined` or `null` is left out.
 */
export function headerPairs(headers) {
  if (headers === undefined || headers === null) return [];
  if (typeof headers !== "object") throw new TypeError("the headers must be an object");
  const pairs = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return pairs.flatMap(([name, value]) => {
    if (value === undefined || value === null) return [];
    try {
      if (typeof value === "object") throw new TypeError();
      return [...new Headers([[name, value]])];
    } catch {
      const why = "a request can carry a name of letters, digits and hyphens, and a value of Latin-1 characters in one line";
      throw new TypeError(`The header ${JSON.stringify(name)} cannot be sent: ${why}`);
    }
  });
}

/**
 * Wraps a function that returns headers. Its argument is an object that shows whether the agent has refused the
 * previous headers.
 */
export function requestingHeaders(headers) {
  const complain = complaining("`headers`");
  return async (refused) => {
    try {
      const answer = await withTimeout(headers({ refused }));
      if (answer === null || typeof answer !== "object") throw new TypeError("it must return an object with headers");
      return written(headerPairs(answer));
    } catch (error) {
      return complain(error);
    }
  };
}

/**
 * Returns true if a value is an HTML element of any window, which is recognized by a property that no other object has.
 */
export function isElement(value) {
  try {
    Object.getOwnPropertyDescriptor(HTMLElement.prototype, "hidden").get.call(value);
    return true;
  } catch {
    return false;
  }
}
