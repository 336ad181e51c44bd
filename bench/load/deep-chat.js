// The web component deep-chat, with the same agent.
import "./deep-chat/deepChat.bundle.js";
import { ask } from "./ask.js";
import { tool } from "./tool.js";

const chat = document.querySelector("deep-chat");
chat.connect = {
  stream: true,
  handler(body, signals) {
    signals.onOpen();
    const show = (text) => signals.onResponse({ text });
    void ask(body.messages.at(-1).text, tool, show).then(() => signals.onClose());
  },
};
