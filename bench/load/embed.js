// The npm package in a page that shows its chat at once.
import "./embed/element.js";
import { tool } from "./tool.js";

const chat = document.querySelector("leptos-assistant");
chat.registerAction(tool);
chat.setAttribute("url", new URLSearchParams(location.search).get("agent"));
