// The attributes of the element: their names, their values, and the error for a value that makes no sense.

/** The text options that can be set as attributes, by the names of the attributes. */
const TEXTS = {
  url: "url",
  label: "label",
  greeting: "greeting",
  protocol: "protocol",
  model: "model",
  reattach: "reattach",
  store: "store",
  "store-name": "storeName",
  "thread-id": "threadId",
};
/** The names of the attributes whose values are texts. */
export const TEXT_ATTRIBUTES = Object.keys(TEXTS);
/** The options of `mount` that the element sets itself. */
const OWN = ["lang", "onEvent", "shadow"];
const LAYOUTS = ["inline", "popup", "sidebar"];
const LOADINGS = ["eager", "idle", "intent", "visible"];

/** The options that can change while a chat is shown. If another option changes, a new chat is mounted. */
export const LIVE = ["url", "headers", "credentials", "model", "label", "greeting", "lang", "labels"];
/** The live options of the agent. They change together, because a header must not be sent to another address. */
export const OF_AGENT = LIVE.slice(0, 4);

/** Creates an error about the element. */
export const fault = (text) => new TypeError(`<leptos-assistant>: ${text}`);

function oneOf(element, name, known, otherwise, complain) {
  const value = element.getAttribute(name);
  if (value === null || known.includes(value)) return value ?? otherwise;
  complain(fault(`the attribute \`${name}\` must be one of ${known.join(", ")}, not "${value}"`));
  return otherwise;
}

/** Returns the arrangement of the chat that the element requests. */
export const layoutOf = (element, complain) => oneOf(element, "layout", LAYOUTS, "inline", complain);

/** Returns the time at which the chat is loaded. */
export const loadingOf = (element, layout, complain) =>
  oneOf(element, "loading", LOADINGS, layout === "inline" ? "eager" : "intent", complain);

/**
 * Reads the options of `mount`: attributes take precedence over the property. `complain` is called with the error of each
 * attribute that is ignored; `error` in the result is the reason why no chat can be mounted.
 */
export function readOptions(element, property, complain) {
  const options = { ...property };
  for (const name of OWN) {
    if (name in options) complain(fault(`\`${name}\` is no option of the element`));
    delete options[name];
  }
  for (const [name, option] of Object.entries(TEXTS)) {
    const value = element.getAttribute(name);
    if (value !== null) options[option] = value;
  }
  const offset = element.getAttribute("heading-offset");
  if (offset !== null) {
    if (/^[0-5]$/.test(offset)) options.headingOffset = Number(offset);
    else complain(fault(`the attribute \`heading-offset\` must be a number from 0 to 5, not "${offset}"`));
  }
  if (element.hasAttribute("resumes")) options.resumes = true;
  return { options, error: options.agent === undefined ? addressError(options.url) : undefined };
}

function addressError(url) {
  if (url === undefined || url === "") return fault("the attribute `url` is missing, the address of the agent");
  try {
    const { protocol } = new URL(url, document.baseURI);
    if (protocol === "http:" || protocol === "https:") return undefined;
  } catch {
    // Reported below.
  }
  return fault(`the attribute \`url\` must be an address of HTTP, not "${url}"`);
}

/** Returns the names of the options that differ. Lists and plain objects are compared by their content. */
export function changedOptions(one, other) {
  return Object.keys({ ...one, ...other }).filter((name) => {
    const [before, after] = [one[name], other[name]];
    if (Object.is(before, after)) return false;
    try {
      return !isPlain(before) || !isPlain(after) || JSON.stringify(before) !== JSON.stringify(after);
    } catch {
      return true;
    }
  });
}

const isPlain = (value) => value?.constructor === Object || Array.isArray(value);
