// A page with a chat behind a launcher. The query has the attributes of the element, and as `agent` its address.
import "./embed/element.js";

const chat = document.createElement("leptos-assistant");
for (const [name, value] of new URLSearchParams(location.search)) chat.setAttribute(name === "agent" ? "url" : name, value);
globalThis.events = [];
for (const kind of ["ready", "open", "error"]) {
  document.addEventListener(`leptos-assistant-${kind}`, ({ detail: { chat: _, error: __, ...detail } }) => globalThis.events.push({ kind, ...detail }));
}
chat.registerAction({ name: "early", handler: () => "registered before the program" });
document.body.append(chat);
