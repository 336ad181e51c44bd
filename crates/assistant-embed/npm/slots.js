// Nodes of the page inside of a window: below its header, instead of the greeting, and below the composer.
import { isElement, refuseUnknown } from "./foreign.js";

const SLOTS = ["header", "empty", "footer"];

/** Reads the option `slots`: the nodes by the names of their slots. */
export function slotsOf(given) {
  if (given === undefined) return {};
  refuseUnknown("mount: `slots`", given, SLOTS);
  const slots = {};
  for (const name of SLOTS) {
    const node = given[name];
    if (node === undefined) continue;
    if (!isElement(node)) throw new TypeError(`mount: \`slots\`: \`${name}\` must be an HTML element`);
    slots[name] = node;
  }
  return slots;
}

/** Moves the nodes into the window that was mounted in an element. Returns a function that removes the nodes. */
export function fill(element, slots) {
  const { header, empty, footer } = slots;
  const chat = element.querySelector("[data-assistant-chat]");
  const focused = element.getRootNode().activeElement;
  for (const [name, node] of Object.entries(slots)) node.classList.add("la-slot", `la-slot-${name}`);
  if (header) chat.querySelector(".la-chat-header").after(header);
  if (footer) chat.append(footer);
  const observer = new MutationObserver((records) => {
    for (const { addedNodes } of records) for (const node of addedNodes) show(node);
  });
  // The program draws the empty state again for each conversation.
  const show = (node) => {
    const place = node.nodeType === 1 && (node.matches(".la-empty") ? node : node.querySelector(".la-empty"));
    if (!place || place.contains(empty)) return;
    place.setAttribute("data-filled", "");
    place.prepend(empty);
  };
  if (empty) {
    show(chat);
    observer.observe(chat, { childList: true, subtree: true });
  }
  // A node that was in the composer before the program loses the focus when it is moved.
  if (Object.values(slots).some((node) => node.contains(focused))) focused.focus({ preventScroll: true });
  return () => {
    observer.disconnect();
    for (const node of Object.values(slots)) node.remove();
  };
}
