// The main entry point of the package. Its module is loaded once, with the first chat.
import load, { mount as mountChat } from "./assistant_embed.js";
import { mountWith } from "./chat.js";

/** Mounts a chat with an AG-UI agent in an element. See index.d.ts. */
export const mount = (element, options, shown, checked, settled) =>
  mountWith({ load, module: "assistant_embed_bg.wasm", mountChat, protocols: ["ag-ui"], stores: [] }, element, options, shown, checked, settled);
