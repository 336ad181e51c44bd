// A page without a framework: one chat, one action. `?agent=URL` names the AG-UI agent.
import { mount } from "./embed/index.js";

const url = new URLSearchParams(location.search).get("agent") ?? "/agent";
const chat = await mount(document.getElementById("chat"), { url });
const count = document.getElementById("count");

chat.registerAction({
  name: "confirmAction",
  description: "Ask the user to confirm an action before proceeding",
  parameters: {
    type: "object",
    properties: {
      action: { type: "string", description: "The action that needs confirmation" },
      importance: { type: "string", enum: ["low", "medium", "high", "critical"] },
    },
    required: ["action"],
  },
  approval: "always",
  handler: async () => {
    count.value = String(Number(count.value) + 1);
    return "approved";
  },
});

document.getElementById("unmount").addEventListener("click", () => chat.unmount());
