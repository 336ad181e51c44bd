// The hashes of the package's files. Fetched only if the tag of element.js has an `integrity`, see checked.js.
import { importChecked } from "./checked.js";

/** The hashes by the names of the files, written by `cargo xtask dist`. */
/* global LEPTOS_ASSISTANT_HASHES */
const HASHES = LEPTOS_ASSISTANT_HASHES;

const addressOf = (name) => new URL(name, import.meta.url);

/** Returns the hash of a file. */
export const hashOf = (name) => HASHES[name];

/** Imports a script of the package, checked. */
export const load = (name) => importChecked(addressOf(name), HASHES[name]);

/** Fetches a file of the package, checked. */
export async function get(name) {
  const url = addressOf(name);
  try {
    return await fetch(url, { integrity: HASHES[name] });
  } catch (cause) {
    throw new Error(`leptos-assistant: ${url.pathname} could not be loaded, or is not the file of this version`, { cause });
  }
}
