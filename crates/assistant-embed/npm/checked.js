// The check of the package's files against their hashes (rule "the hash of the tag"). A page demands it by the attribute
// `integrity` on the tag of element.js: the value covers this script, which has the hash of integrity.js, which has those
// of all other files.

/** The hash of integrity.js, written by `cargo xtask dist`. */
/* global LEPTOS_ASSISTANT_HASH */

/**
 * Imports a module of the package if its hash is right. The browser checks the preload, and imports what it has
 * preloaded. A browser without such preloads imports the module unchecked.
 */
export async function importChecked(url, integrity) {
  const link = document.createElement("link");
  if (link.relList.supports?.("modulepreload")) {
    await new Promise((resolve, reject) => {
      const refuse = () => reject(new Error(`leptos-assistant: ${url.pathname} could not be loaded, or is not the file of this version`));
      link.addEventListener("load", resolve);
      link.addEventListener("error", refuse);
      document.head.append(Object.assign(link, { rel: "modulepreload", href: url.href, integrity }));
    }).finally(() => link.remove());
  }
  return import(url.href);
}

/** Returns true if the page has a tag of this script that demands checks. */
const isDemanded = () => [...(globalThis.document?.scripts ?? [])].some(({ integrity, src }) => integrity && src === import.meta.url);

/** True if the page had such a tag when it loaded this script. It may remove the tag afterwards. */
const wasDemanded = isDemanded();

/** Resolves with the module integrity.js if the tag demands checks. */
export async function checks() {
  return wasDemanded || isDemanded() ? importChecked(new URL("./integrity.js", import.meta.url), LEPTOS_ASSISTANT_HASH) : undefined;
}
