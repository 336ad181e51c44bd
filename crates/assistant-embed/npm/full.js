// The package with every protocol and a store. It has its own module, which is loaded once, with the first chat.
import load, { mount as mountChat } from "./assistant_embed_full.js";
import { mountWith } from "./chat.js";

const protocols = ["ag-ui", "ui-stream", "completions"];
const stores = ["indexeddb"];

/** Mounts a chat with an agent of any protocol in an element. See full.d.ts. */
export const mount = (element, options, shown, checked, settled) =>
  mountWith({ load, module: "assistant_embed_full_bg.wasm", mountChat, protocols, stores }, element, options, shown, checked, settled);
