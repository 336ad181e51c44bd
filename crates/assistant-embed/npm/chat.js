// The shared part of the package's two entry points: mounts a chat with the module that each of them loads.
import { convertAction } from "./action.js";
import { streaming } from "./agent.js";
import { headerPairs, highlighting, isElement, observing, refuseUnknown, requestingHeaders, withTimeout } from "./foreign.js";
import { handleOf } from "./handle.js";
import { readLanguage, textsOf } from "./languages.js";
import { lookOptions, sessionOptions } from "./options.js";
import { fill, slotsOf } from "./slots.js";
import { enter, hasStopped, hold } from "./stopped.js";

function unknown(option, values) {
  const which = values.map((value) => JSON.stringify(value)).join(", ") || "left out";
  return new TypeError(`mount: here the option \`${option}\` must be ${which}; \`leptos-assistant/full\` takes every protocol and a store`);
}

/** The values of the option `credentials`. */
const CREDENTIALS = ["omit", "same-origin", "include"];
/** The options of `mount`. */
const OPTIONS = ["url", "agent", "reattach", "headers", "credentials", "label", "greeting", "highlight", "headingOffset", "mediaOrigins", "attachments", "lang", "labels", "onEvent", "options", "limits", "initial", "slots", "shadow"];
const FULL_OPTIONS = ["protocol", "model", "resumes", "store", "storeName", "threadId"];
/** The options that `update` accepts. */
const LIVE = ["url", "headers", "credentials", "model", "label", "greeting", "lang", "labels"];

function checkAddress(where, url) {
  if ((typeof url === "string" && url !== "") || url instanceof URL) return;
  throw new TypeError(`${where}: the option \`url\` must be the agent's address`);
}

function checkCredentials(where, credentials) {
  if (credentials === undefined || CREDENTIALS.includes(credentials)) return;
  throw new TypeError(`${where}: the option \`credentials\` must be one of ${CREDENTIALS.join(", ")}`);
}

/** Returns true if the agent is a function of the page, which becomes an option of the program. */
function takeAgent(look, url, headers) {
  if (look.agent === undefined) return false;
  if (typeof look.agent !== "function") throw new TypeError("mount: the option `agent` must be a function");
  if (url !== undefined || headers !== undefined) throw new TypeError("mount: `url` and `headers` are those of another agent than `agent`");
  look.agent = streaming(look.agent);
  return true;
}

/** Returns headers as pairs. A function that returns headers is an option of the program instead. */
function takeHeaders(headers, look) {
  const isDynamic = typeof headers === "function";
  look.headers = isDynamic ? requestingHeaders(headers) : undefined;
  return isDynamic ? [] : headerPairs(headers);
}

/** The attempt to load the program, or the loaded program. */
let program;

function loadProgram(load, module, checked) {
  program ??= load(checked && { module_or_path: checked.get(module) }).catch((error) => {
    program = undefined;
    throw error;
  });
  return program;
}

/** Loads what a shadow root needs. Returns a function that attaches one with the styles of the chat to an element. */
async function loadShadow(checked) {
  const { Shadow, fetchStyles } = await (checked?.load("shadow.js") ?? import("./shadow.js"));
  const sheet = await fetchStyles(checked);
  return (element) => {
    const shadow = new Shadow(element, checked);
    shadow.add(sheet);
    return shadow;
  };
}

/**
 * Mounts a chat. `load` fetches the file `module`, once; `mountChat` is the module's `mount`; `protocols` and `stores` list
 * the supported protocols and stores. `checked` has the functions that check files, if the page demands it. `shown` receives the chat as soon as the user can use it: until the second part
 * of the module is loaded, only its methods `update` and `unmount` work. The chat is mounted once the promise of
 * `settled` resolves.
 */
export async function mountWith({ load, module, mountChat, protocols, stores }, element, options, shown, checked, settled) {
  if (!isElement(element)) throw new TypeError("mount: the first argument must be an HTML element of the page");
  refuseUnknown("mount", options ?? {}, [...OPTIONS, ...FULL_OPTIONS]);
  const known = lookOptions("mount", options ?? {});
  const { url, headers, lang, labels, store, onEvent, slots: given, ...others } = options ?? {};
  const slots = slotsOf(given);
  const look = { ...others, ...known };
  const inPage = takeAgent(look, url, headers);
  if (!inPage) checkAddress("mount", url);
  const { protocol = "ag-ui" } = look;
  if (!protocols.includes(protocol)) throw unknown("protocol", protocols);
  if (look.reattach !== undefined && (inPage || protocol !== "ag-ui")) throw new TypeError("mount: `reattach` is for an address of an AG-UI agent");
  if (store !== undefined && !stores.includes(store)) throw unknown("store", stores);
  checkCredentials("mount", look.credentials);
  const pairs = takeHeaders(headers, look);
  look.session = sessionOptions(options);
  if (look.highlight) look.highlight = highlighting(look.highlight);
  if (onEvent !== undefined) {
    if (typeof onEvent !== "function") throw new TypeError("mount: the option `onEvent` must be a function");
    look.notify = observing(onEvent);
  }
  if (store) look.store = look.storeName ?? "leptos-assistant";
  const shadows = look.shadow ? loadShadow(checked) : undefined;
  let language = readLanguage("mount", lang, labels);
  const [words, attach] = await Promise.all([textsOf("mount", language, checked), shadows, loadProgram(load, module, checked)]);
  Object.assign(look, { texts: words.texts, language: words.language });
  await settled?.();
  // Attached last: it hides the content of the element, and cannot be removed.
  const shadow = attach?.(element);
  const place = shadow?.place ?? element;
  const clear = hold(place, words.stopped);
  let chat;
  try {
    chat = enter(() => mountChat(place, String(url ?? ""), pairs, look));
  } catch (error) {
    clear();
    shadow?.end();
    throw error;
  }
  let empty;
  try {
    empty = fill(place, shadow?.slots(slots) ?? slots);
  } catch (error) {
    chat.unmount();
    clear();
    shadow?.end();
    throw error;
  }
  let removed = false;
  let agent = { url, headers };
  const speak = async (changes) => {
    const next = { ...language, ...changes };
    const words = await withTimeout(textsOf("update", next, checked));
    if (removed) return;
    language = next;
    Object.assign(look, { texts: words.texts, language: words.language });
    clear.replace(words.stopped);
    enter(() => chat.setTexts(look));
  };
  /** The last change of the language. Changes are made in order, and one that fails has no effect on later ones. */
  let spoken = Promise.resolve();
  const call = (act) => {
    if (removed) throw new Error("The chat has been taken out of the page");
    return enter(act);
  };
  const undo = (registration) => () => {
    if (!removed && !hasStopped()) registration.unregister();
  };
  const handle = {
    ...handleOf((act) => call(() => act(chat)), undo),
    registerAction(action) {
      const converted = convertAction(action);
      return undo(call(() => chat.registerAction(...converted)));
    },
    update(changes) {
      refuseUnknown("update", changes, LIVE);
      if (inPage && LIVE.slice(0, 4).some((name) => name in changes)) throw new TypeError("update: a chat whose agent is in the page has no address");
      const next = { ...agent, ...changes };
      if (!inPage) checkAddress("update", next.url);
      checkCredentials("update", changes.credentials);
      lookOptions("update", changes);
      const { lang, own } = readLanguage("update", changes.lang, changes.labels);
      const nextPairs = takeHeaders(next.headers, look);
      for (const name of ["credentials", "model", "label", "greeting"]) if (name in changes) look[name] = changes[name];
      if (["url", "headers", "credentials", "model"].some((name) => name in changes)) call(() => chat.setAgent(String(next.url), nextPairs, look));
      agent = { url: next.url, headers: next.headers };
      if ("label" in changes || "greeting" in changes) call(() => chat.setTexts(look));
      const known = { ...("lang" in changes && { lang }), ...("labels" in changes && { own }) };
      if (Object.keys(known).length > 0) spoken = spoken.then(() => speak(known)).catch(reportError);
    },
    unmount() {
      if (removed) return;
      removed = true;
      empty();
      try {
        if (!hasStopped()) chat.unmount();
      } finally {
        clear();
        shadow?.end();
      }
    },
  };
  shown?.(handle);
  await enter(() => chat.load());
  return handle;
}
