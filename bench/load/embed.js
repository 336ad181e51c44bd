// The npm package in a page that shows its chat at once.
import { mount } from "./embed/index.js";
import { tool } from "./tool.js";

const url = new URLSearchParams(location.search).get("agent");
const chat = await mount(document.getElementById("chat"), { url });
chat.registerAction(tool);
