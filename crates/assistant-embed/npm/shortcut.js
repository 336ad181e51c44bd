// The keyboard shortcut of a launcher: `Alt+Shift+A`, `Mod+J`. `Mod` is Command on Apple's systems, Control elsewhere.
import { fault } from "./attributes.js";

const MODIFIERS = { control: "ctrlKey", ctrl: "ctrlKey", alt: "altKey", shift: "shiftKey", meta: "metaKey", command: "metaKey" };
const NAMES = { ctrlKey: "Control", altKey: "Alt", shiftKey: "Shift", metaKey: "Meta" };

/** Parses a keyboard shortcut. Returns `undefined` for an empty shortcut, and for an invalid one, which is reported. */
export function shortcutOf(text, complain) {
  if (text === null || text.trim() === "") return undefined;
  const parts = text.split("+").map((part) => part.trim());
  const key = parts.pop();
  const apple = /mac|iphone|ipad/i.test(navigator.userAgentData?.platform ?? navigator.platform ?? "");
  const held = parts.map((part) => (part.toLowerCase() === "mod" ? (apple ? "metaKey" : "ctrlKey") : MODIFIERS[part.toLowerCase()]));
  // A key alone, or with Shift, is text.
  const types = !held.some((name) => name !== "shiftKey") && !/^F\d+$/i.test(key);
  if (key === "" || held.includes(undefined) || types) {
    complain(fault(`the attribute \`shortcut\` must be a key with Control, Alt or Meta, as in "Alt+Shift+A", not "${text}"`));
    return undefined;
  }
  return { key: key.toLowerCase(), held, name: [...held.map((name) => NAMES[name]), key].join("+") };
}

/** Returns true if a keyboard event matches a shortcut. With Alt, some keyboards report another character, and Space has none. */
export function isPressed(shortcut, event) {
  // Browsers dispatch events without a key when they fill in a form.
  const isKey = [shortcut.key, `key${shortcut.key}`].includes(event.code?.toLowerCase()) || event.key?.toLowerCase() === shortcut.key;
  return isKey && Object.keys(NAMES).every((name) => event[name] === shortcut.held.includes(name));
}
