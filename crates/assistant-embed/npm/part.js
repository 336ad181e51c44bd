// Loads the second part of the program: its engine, the conversation and the methods of a chat. It is fetched when the
// first part is compiled, and linked to it: both share one memory and one table of functions.
import { fetchPart } from "./fetch.js";
import { guard } from "./stopped.js";

/** The parts that are fetched or compiled, by address. */
const modules = new Map();
/** The instantiated parts, by address: the split points of a program share a part. */
const instances = new Map();

/** Returns the promise of an address; created by `make` if there is no promise yet, or if the promise was rejected. */
function cached(promises, url, make) {
  const known = promises.get(url.href);
  if (known) return known;
  const promise = make();
  promises.set(url.href, promise);
  promise.catch(() => promises.delete(url.href));
  return promise;
}

const compiled = (url, integrity) => cached(modules, url, () => fetchPart(url, integrity));

/**
 * Makes the browser load its formats of times, as src/ui/time.rs uses them: the first use takes tens of milliseconds, which
 * would delay the first answer.
 */
function loadFormats() {
  try {
    new Intl.DateTimeFormat(document.documentElement.lang || undefined, { hour: "numeric", minute: "2-digit" }).format();
  } catch {
    // The page has an invalid language.
  }
}

/** Begins to fetch a part ahead of its use. A failure is reported when the part is used. */
export function fetchAhead(url, integrity) {
  void compiled(url, integrity);
  (globalThis.requestIdleCallback ?? setTimeout)(loadFormats);
}

/**
 * Fetches the part, and reports the result to the program by calling the function `done` of the program's table. After
 * a failure, the program may request the part again.
 */
export async function loadPart(url, integrity, shared, done, data) {
  let fetched = false;
  try {
    await cached(instances, url, async () => WebAssembly.instantiate(await compiled(url, integrity), { __wasm_split: shared }));
    fetched = true;
  } catch {
    // The chat shows the failure, and the user can try again.
  }
  guard({ report: shared.__indirect_function_table.get(done) }).report(data, Number(fetched));
}
