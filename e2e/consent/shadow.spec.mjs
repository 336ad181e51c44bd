// Attacks on a request in a shadow root of the package, each compared with the same request without one: covers, and rules
// of the page for parts of the chat.

import { covers } from "./attacks/covers.mjs";
import { shadowDriver } from "./driver.mjs";
import { attackSuite } from "./stage.mjs";

const styled = (name, rules) => ({
  name,
  attack: { before: (stage) => stage.do((rules) => void globalThis.attack.rules(rules), rules) },
  expects: { hides: true },
});

const parts = [
  styled("a rule makes the part of the request transparent", "::part(approval) { opacity: 0.02 }"),
  styled("a rule clips the part of the request to its buttons", "::part(approval) { clip-path: inset(calc(100% - 60px) 0 0 0) }"),
  styled("a rule blurs the card of the request and what is around it", "::part(transcript) { filter: blur(8px) }"),
  styled("a rule makes the host of the shadow root transparent", "#one { opacity: 0.01 }"),
];

attackSuite([...covers, ...parts], { driver: shadowDriver });
