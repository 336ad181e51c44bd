// Loads the part of the program that shows a conversation. It is fetched when a chat is used, and linked to the rest:
// both share one memory and one table of functions.
import { fetchPart } from "./fetch.js";
import { guard } from "./stopped.js";

/**
 * Fetches the part, and reports the result to the program by `done` of its table. After a failure the program may
 * request it again.
 */
export async function loadPart(url, integrity, shared, done, data) {
  let fetched = false;
  try {
    const bytes = await fetchPart(url, integrity);
    await WebAssembly.instantiate(bytes, { __wasm_split: shared });
    fetched = true;
  } catch {
    // The chat shows the failure, and the user can try again.
  }
  guard({ tell: shared.__indirect_function_table.get(done) }).tell(data, Number(fetched));
}
