// The shared part of the package's two entry points: mounts a chat with the module that each of them loads.
import { convertAction } from "./action.js";
import { headerPairs, hearing, highlighting, isElement, refuseUnknown } from "./foreign.js";
import { enter, hasStopped, hold } from "./stopped.js";

function unknown(option, values) {
  const which = values.map((value) => JSON.stringify(value)).join(", ") || "left out";
  return new TypeError(`mount: here the option \`${option}\` must be ${which}; \`leptos-assistant/full\` takes every protocol and a store`);
}

/** The options of `mount`, of its `attachments`, and of its `words`. */
const OPTIONS = ["url", "headers", "label", "greeting", "highlight", "headingOffset", "mediaOrigins", "attachments", "labels", "onEvent"];
const FULL_OPTIONS = ["protocol", "model", "resumes", "store", "storeName", "threadId"];
/** The options that `update` takes. */
const LIVE = ["url", "headers", "model", "label", "greeting"];
const ATTACHMENTS = ["accept", "maxFiles", "maxBytes"];
const LABELS = ["stopped", "stoppedText", "reload"];

function checkAddress(where, url) {
  if ((typeof url === "string" && url !== "") || url instanceof URL) return;
  throw new TypeError(`${where}: the option \`url\` must be the agent's address`);
}

/**
 * Mounts a chat. `load` fetches the module, once; `mountChat` is its `mount`; `protocols` and `stores` list the
 * supported ones.
 */
export async function mountWith({ load, mountChat, protocols, stores }, element, options) {
  if (!isElement(element)) throw new TypeError("mount: the first argument must be an HTML element of the page");
  refuseUnknown("mount", options ?? {}, [...OPTIONS, ...FULL_OPTIONS]);
  const { url, headers, highlight, mediaOrigins, attachments, labels, store, onEvent, ...look } = options ?? {};
  checkAddress("mount", url);
  const { protocol = "ag-ui" } = look;
  if (!protocols.includes(protocol)) throw unknown("protocol", protocols);
  if (store !== undefined && !stores.includes(store)) throw unknown("store", stores);
  refuseUnknown("mount: `attachments`", attachments ?? {}, ATTACHMENTS);
  refuseUnknown("mount: `labels`", labels ?? {}, LABELS);
  const pairs = headerPairs(headers);
  if (highlight) look.highlight = highlighting(highlight);
  if (mediaOrigins) look.mediaOrigins = Array.from(mediaOrigins, String);
  if (attachments) look.attachments = { ...attachments };
  if (onEvent !== undefined) {
    if (typeof onEvent !== "function") throw new TypeError("mount: the option `onEvent` must be a function");
    look.notify = hearing(onEvent);
  }
  if (store) look.store = String(look.storeName ?? "leptos-assistant");
  await load();
  const clear = hold(element, labels);
  let chat;
  try {
    chat = enter(() => mountChat(element, String(url), pairs, look));
  } catch (error) {
    clear();
    throw error;
  }
  let gone = false;
  let agent = { url, headers };
  const call = (act) => {
    if (gone) throw new Error("The chat has been taken out of the page");
    return enter(act);
  };
  return {
    registerAction(action) {
      const converted = convertAction(action);
      const registration = call(() => chat.registerAction(...converted));
      return () => {
        if (!gone && !hasStopped()) registration.unregister();
      };
    },
    send(text) {
      if (typeof text !== "string") throw new TypeError("send: a text is needed");
      call(() => chat.send(text));
    },
    update(changes) {
      refuseUnknown("update", changes, LIVE);
      const next = { ...agent, ...changes };
      checkAddress("update", next.url);
      const nextPairs = headerPairs(next.headers);
      for (const name of ["model", "label", "greeting"]) if (name in changes) look[name] = changes[name];
      if (["url", "headers", "model"].some((name) => name in changes)) call(() => chat.setAgent(String(next.url), nextPairs, look));
      agent = { url: next.url, headers: next.headers };
      if ("label" in changes || "greeting" in changes) call(() => chat.setTexts(look));
    },
    newConversation: () => call(() => chat.newConversation()),
    unmount() {
      if (gone) return;
      gone = true;
      try {
        if (!hasStopped()) chat.unmount();
      } finally {
        clear();
      }
    },
  };
}
