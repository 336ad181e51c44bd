// The labels of the chat in the language of the page. Each language is a file of its own, which `cargo xtask dist` writes
// from the tables of the library.
import { languageOf } from "./language-tag.js";

const FILES = {
  ar: () => import("./labels/ar.js"),
  de: () => import("./labels/de.js"),
  es: () => import("./labels/es.js"),
  fr: () => import("./labels/fr.js"),
  ja: () => import("./labels/ja.js"),
  names: () => import("./labels/names.js"),
  pt: () => import("./labels/pt.js"),
  zh: () => import("./labels/zh.js"),
};

/** Imports a file, checked if the page demands it. */
const fetchFile = (name, checked) => checked?.load(`labels/${name}.js`) ?? FILES[name]();

/** Checks the options `lang` and `labels`, the page's labels by name. Returns the language and the labels as pairs. */
export function readLanguage(where, lang, labels) {
  if (lang !== undefined && typeof lang !== "string") throw new TypeError(`${where}: the option \`lang\` must be a language, such as "de"`);
  return { lang, own: ownTexts(where, labels) };
}

/**
 * Returns the texts for the program, a list in which a missing text is English, their language, and the texts of the notice
 * that the chat has stopped. Fails if there is no label with the name of a label of the page.
 */
export async function textsOf(where, { lang, own }, checked) {
  const code = languageOf(lang ?? "");
  const [file, named] = await Promise.all([code ? load(code, checked) : {}, own.length > 0 ? fetchFile("names", checked) : undefined]);
  const { texts = [], stopped = {} } = file;
  // Labels of the page may be in a language without a file; English has none.
  const isKnown = file.texts || own.length > 0 || /^en(-|$)/i.test(lang ?? "");
  const language = (isKnown && knownLanguage(lang)) || (file.texts && code) || "en";
  if (!named) return { texts, stopped, language };
  const all = [...texts];
  for (const [name, text] of own) {
    const at = named.NAMES.indexOf(name);
    if (at < 0) throw new TypeError(`${where}: there is no label \`${name}\``);
    all[at] = text;
  }
  return { texts: all, language, stopped: { ...stopped, ...Object.fromEntries(own) } };
}

/** Returns the language tag if the browser knows the language. */
function knownLanguage(tag) {
  try {
    return Intl.PluralRules.supportedLocalesOf(tag)[0];
  } catch {
    return undefined;
  }
}

/** Reads each label of a page once, because labels may be getters. */
function ownTexts(where, labels) {
  if (labels === undefined || labels === null) return [];
  if (typeof labels !== "object") throw new TypeError(`${where}: the option \`labels\` must be an object`);
  const own = Object.entries(labels).filter(([, text]) => text !== undefined && text !== null);
  for (const [name, text] of own) {
    if (typeof text !== "string") throw new TypeError(`${where}: the label \`${name}\` must be a text`);
  }
  return own;
}

/** Loads the labels of a language. If the file is missing, the chat is English. */
async function load(code, checked) {
  try {
    return await fetchFile(code, checked);
  } catch (error) {
    console.error(`leptos-assistant: the labels of the language \`${code}\` could not be loaded`, error);
    return {};
  }
}
