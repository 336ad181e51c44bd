// A page with a chat as an element, which a button shows. `?agent=URL` names the AG-UI agent.
import "./embed/element.js";

const chat = document.getElementById("chat");
chat.setAttribute("url", new URLSearchParams(location.search).get("agent"));
globalThis.opened = [];
chat.registerAction({
  name: "open_page",
  description: "Opens a page of the site",
  parameters: { type: "object", properties: { page: { type: "string" } }, required: ["page"] },
  approval: "always",
  handler: ({ page }) => {
    globalThis.opened.push(page);
    return `opened ${page}`;
  },
});
globalThis.events = [];
// Events bubble.
for (const kind of ["ready", "open", "message", "approval", "action", "error"]) {
  document.addEventListener(`leptos-assistant-${kind}`, ({ detail: { chat: _, error: __, ...detail } }) => globalThis.events.push({ kind, ...detail }));
}
document.getElementById("open").addEventListener("click", () => (chat.hidden = !chat.hidden));
