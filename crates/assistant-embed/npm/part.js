// The part of the program that shows a conversation. It is fetched when somebody turns to a chat, and put beside the rest:
// both have one memory and one table of functions.
import { fetchPart } from "./fetch.js";
import { guard } from "./stopped.js";

/** Fetches it, and tells the program by `done` of its table whether that went well; if not, the program may ask again. */
export async function loadPart(url, integrity, shared, done, data) {
  let fetched = false;
  try {
    const bytes = await fetchPart(url, integrity);
    await WebAssembly.instantiate(bytes, { __wasm_split: shared });
    fetched = true;
  } catch {
    // The program tells it in the chat, where a person can try again.
  }
  guard({ tell: shared.__indirect_function_table.get(done) }).tell(data, Number(fetched));
}
