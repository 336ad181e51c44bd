// The public face of the package. The module beside it is loaded once, with the first chat.
import load, { mount as mountChat } from "./assistant_embed.js";

let loading;

/** Puts a chat with an AG-UI agent into an element. See index.d.ts. */
export async function mount(element, { url, headers = {}, ...options }) {
  loading ??= load();
  await loading;
  const chat = mountChat(element, url, Object.entries(headers), options);
  return {
    registerAction({ name, description = "", parameters, handler, requiresApproval = false }) {
      const registration = chat.registerAction(name, description, parameters, handler, requiresApproval);
      return () => registration.unregister();
    },
    send: (text) => chat.send(text),
    newConversation: () => chat.newConversation(),
    unmount: () => chat.unmount(),
  };
}
