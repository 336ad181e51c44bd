// A page without a chat window: a text box and a text node.
import { ask } from "./ask.js";
import { tool } from "./tool.js";

const out = document.getElementById("out");
const composer = document.getElementById("composer");

composer.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  const text = composer.value;
  composer.value = "";
  out.append(`${text}\n`);
  void ask(text, tool, (more) => out.append(more));
});
composer.disabled = false;
