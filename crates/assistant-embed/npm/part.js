// The part of the program that shows a conversation. It is fetched when somebody turns to a chat, and put beside the rest:
// both have one memory and one table of functions.
import { guard } from "./stopped.js";

/** Then it is not waited for any longer, in milliseconds. */
const LATEST = 30_000;

/**
 * Fetches it, and tells the program by `done` of its table whether that went well; if not, the program may ask again.
 * Only the part that was cut out of this program fits: after an update of the site, the one at its place is another.
 */
export async function fetchPart(url, integrity, shared, done, data) {
  let fetched = false;
  try {
    const bytes = await get(url, integrity);
    await WebAssembly.instantiate(bytes, { __wasm_split: shared });
    fetched = true;
  } catch {
    // The program tells it in the chat, where a person can try again.
  }
  guard({ tell: shared.__indirect_function_table.get(done) }).tell(data, Number(fetched));
}

/** A cache may still hold the one of before: what does not fit is asked for once more, past it. */
async function get(url, integrity) {
  const read = async (cache) => {
    const response = await fetch(url, { integrity, cache, signal: AbortSignal.timeout(LATEST) });
    if (!response.ok) throw new Error(`${response.status}`);
    // Not as a stream: servers that give another type than `application/wasm` do as well.
    return response.arrayBuffer();
  };
  return read("default").catch((error) => {
    if (error.name === "TimeoutError") throw error;
    return read("reload");
  });
}
