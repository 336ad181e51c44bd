// The texts and calls of the scripted model, by the user's words: the scenes of examples/pydantic-ai, for models that
// speak other protocols. No network, no clock.
//
// A scene is a text, then calls that go out together. Names and arguments follow the tools that the page offers; a scene
// whose tool is not offered says so in text instead.

/** Tools that run on the server, if there is one; the second only after a user has approved it. */
export const SERVER_TOOLS = ["lookup_order", "refund_order"];

/** The cities in "the weather in Oslo and Bergen?", at least one. */
function cities(text) {
  const names = (/\bin ([^?.!]+)/.exec(text)?.[1] ?? "").split(/,| and /).map((name) => name.trim());
  const found = names.filter(Boolean);
  return found.length ? found : ["San Francisco"];
}

/** The rest of the sentence after one of the words, else the default. */
function after(words, text, otherwise) {
  return new RegExp(`\\b(?:${words})\\s+([^?.!]+)`, "i").exec(text)?.[1].trim() ?? otherwise;
}

/** The numbers in "refund A-17 and B-2", at least one. */
function orders(text) {
  return text.match(/\b[A-Z]-\d+\b/g) ?? ["A-17"];
}

/**
 * Chooses a scene for the words of a user. `offered` has the schemas of the page's tools by name; `own` lists the tools
 * that run on the server. A scene has `text`, the `reasoning` before it, `calls` of `{name, args}`, an `error` to end
 * with, and `delay`, the milliseconds between two pieces of text. `hold` are those before its end: long enough that a
 * page which is reloaded meanwhile finds the answer still streaming, even on a slow machine.
 */
export function scene(text, offered, own = SERVER_TOOLS) {
  const question = text.toLowerCase();
  const says = (...words) => words.every((word) => question.includes(word));
  const call = (name, args) => ({ name, args: fit(args, offered[name]) });
  const calling = (calls, words = "") => {
    const missing = calls.map(({ name }) => name).filter((name) => !(name in offered) && !own.includes(name));
    return missing.length ? { text: `The page does not offer ${missing.join(", ")}.` } : { text: words, calls };
  };
  const refunds = () => orders(text).map((order_id) => ({ name: "refund_order", args: { order_id, amount: 40 } }));
  const lookup = () => ({ name: "lookup_order", args: { order_id: orders(text)[0] } });

  if (says("crash")) return { text: "About to fail.", error: "the model exploded" };
  if (says("cut the line") || says("stop short")) return { text: "This answer breaks off before its end, ".repeat(20) };
  if (says("long")) return { text: Array.from({ length: 400 }, (_, n) => `word${n + 1}`).join(" "), delay: 20 };
  if (says("think aloud")) return { reasoning: "Nothing else is asked for.", text: "I have thought about it." };
  if (says("unknown tool")) return { calls: [{ name: "teleport", args: { to: "Mars" } }] };
  if (says("wrong arguments")) return { calls: [{ name: "web_search", args: { query: 7 } }] };
  if (says("keep searching")) return calling([call("web_search", { query: "and again" })]);
  if (says("look", "refund")) return calling([lookup(), ...refunds()]);
  if (says("refund")) return calling(refunds());
  if (says("order", "confirm")) {
    const action = `ship order ${orders(text)[0]}`;
    return calling([lookup(), call("confirmAction", { action, importance: "high" })]);
  }
  if (says("order", "search")) return calling([lookup(), call("web_search", { query: after("search for|search", text, "leptos") })]);
  if (says("order")) return calling([lookup()]);
  if (says("search", "weather")) {
    const query = after("search for", text.split(" and ")[0], "leptos");
    return calling([call("web_search", { query }), call("get_weather", { location: cities(text)[0] })], "Both at once.");
  }
  if (says("weather")) {
    return calling(
      cities(text).map((location) => call("get_weather", { location })),
      "Let me check the weather.",
    );
  }
  if (says("search")) return calling([call("web_search", { query: after("search for|search", text, "leptos") })]);
  if (says("delete")) {
    const resourceName = after("delete", text, "report.pdf");
    return calling([call("confirmDeletion", { resourceType: "file", resourceName })]);
  }
  if (says("data source")) return calling([call("selectDataSource", { dataTypes: ["logs", "metrics"] })]);
  return { text: `You said: ${text}` };
}

/**
 * Returns the model's text about the results of its calls, `{name, value}`: quoted in the order in which they were given,
 * and slowly if the user `said` so. A text value is quoted as it is.
 */
export function answer(results, question = "") {
  const lines = results.map(({ name, value }) => {
    const known = typeof value === "string" ? parsed(value) : value;
    if (known?.error !== undefined) return `${name} failed: ${known.error}. I will continue without it.`;
    if (known === "denied" || known?.status === "denied") {
      return `${name} was denied${known.reason ? ` (${known.reason})` : ""}, so I leave it.`;
    }
    return `${name} returned ${typeof value === "string" ? value : JSON.stringify(value)}.`;
  });
  const slowly = question.toLowerCase().includes("slowly");
  return { text: lines.join("\n"), delay: slowly ? 250 : 0, hold: slowly ? 8_000 : 0 };
}

/** The pieces in which a model streams a text: words with the blank behind them. */
export const words = (text) => text.match(/\S*\s|\S+$/g) ?? [];

/** The pieces in which a model streams arguments. */
export const pieces = (text) => text.match(/[^]{1,7}/g) ?? [];

/** The JSON value of a text, or the text itself. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Keeps the arguments that the page's schema names. */
function fit(args, schema) {
  const known = schema?.properties;
  return known ? Object.fromEntries(Object.entries(args).filter(([name]) => name in known)) : args;
}
