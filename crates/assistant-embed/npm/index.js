// The public face of the package. The module beside it is loaded once, with the first chat.
import load, { mount as mountChat } from "./assistant_embed.js";
import { mountWith } from "./chat.js";

/** Puts a chat with an AG-UI agent into an element. See index.d.ts. */
export const mount = (element, options) => mountWith({ load, mountChat, protocols: ["ag-ui"], stores: [] }, element, options);
