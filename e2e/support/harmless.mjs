// Checks that text stayed text: forbidden events around a page, and forbidden nodes in it.

import assert from "node:assert/strict";

/**
 * Records dialogs, downloads, navigations and unexpected requests of a page. Returns a function that fails if there
 * were any.
 */
export function guard(page, allowed) {
  const left = [];
  page.on("dialog", (dialog) => {
    left.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("popup", (other) => left.push(`popup: ${other.url()}`));
  page.on("download", (download) => left.push(`download: ${download.url()}`));
  page.on("framenavigated", (frame) => left.push(`navigation: ${frame.url()}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!allowed.some((address) => url.startsWith(address) || url.startsWith(`blob:${address}`))) left.push(`request: ${url}`);
  });
  return () => assert.deepEqual(left, [], "nothing left the page");
}

/**
 * Scrolls the chat from its end to its beginning, opens everything that can be opened, and fails on anything that text
 * must not create. Returns what it found on the way: marks, such as `№7;`, and the names of tools.
 */
export async function harmless(page) {
  const { found, drawn } = await page.evaluate(read);
  assert.deepEqual(found.slice(0, 20), [], `${found.length} things that text should not have become`);
  return drawn;
}

/** Runs in the page. */
async function read() {
  const KINDS =
    "script, iframe, frame, frameset, object, embed, applet, style, link, base, meta, template, noscript, slot, marquee, " +
    "math, picture, source, track, image, portal, svg:not([data-icon]), svg *:not(path), svg > path ~ *";
  const NEVER = new RegExp(
    "^on|^(srcdoc|srcset|action|formaction|background|ping|http-equiv|autofocus|autoplay|contenteditable|is|popover|" +
      "xlink:href|poster|data|form|manifest|lowsrc|dynsrc|nonce|integrity|slot|accesskey|usemap)$",
    "i",
  );
  const own = (value) => new URL(value, location.href).origin === location.origin;
  const CHECKS = {
    style: (value) => !/url|expression|@|position/i.test(value),
    // Ids and names must be those that the library creates.
    id: (value) => /^la-[\w-]+$/.test(value),
    name: (value) => /^(la-[\w-]+)?$/.test(value),
    target: (value) => value === "_blank",
    href: (value) => ["http:", "https:", "mailto:", "tel:"].includes(new URL(value, location.href).protocol),
    // Nothing from another origin is fetched unless the host page allows it, and the demo allows none.
    src: (value) => /^data:image\/(png|jpeg|gif|webp|avif);base64,|^blob:/.test(value) || own(value),
  };
  const [found, drawn] = [new Set(), new Set()];
  const chat = document.querySelector("[data-assistant-chat]");
  const log = chat.querySelector("[role=log]");

  function look() {
    if (globalThis.__pwned !== undefined) found.add("a script ran");
    if ({}.pwned !== undefined) found.add("a prototype was changed");
    for (const element of chat.querySelectorAll(KINDS)) found.add(`element: ${element.outerHTML.slice(0, 200)}`);
    for (const element of chat.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        const fine = !NEVER.test(name) && (CHECKS[name]?.(value) ?? true);
        if (!fine) found.add(`attribute: ${name}=${JSON.stringify(value.slice(0, 100))} on ${element.localName}`);
      }
    }
    for (const mark of log.textContent.match(/№\d+;/g) ?? []) drawn.add(mark);
    for (const card of chat.querySelectorAll("[data-tool-name]")) drawn.add(card.dataset.toolName);
  }

  const frames = async (count) => {
    for (let frame = 0; frame < count; frame++) await new Promise(requestAnimationFrame);
  };
  // Only messages near the visible ones are in the page. Lines of folded calls are opened, and the list is read from
  // its end again, because it has grown there.
  let grown = 0;
  for (let top = log.scrollHeight; ; ) {
    log.scrollTop = top;
    await frames(2);
    const lines = chat.querySelectorAll(".la-call-group[aria-expanded=false]");
    for (const line of lines) line.click();
    await frames(2);
    // The rest of long messages.
    for (let more; (more = chat.querySelector(".la-markdown-more")); ) more.click();
    for (const more of chat.querySelectorAll("[data-hidden]:not([data-hidden='0']) > .la-button")) more.click();
    for (const details of chat.querySelectorAll("details:not([open])")) details.open = true;
    await frames(2);
    look();
    if (top <= 0) return { found: [...found], drawn: [...drawn] };
    top = lines.length > 0 && grown++ < 2 ? log.scrollHeight : log.scrollTop - 2 * log.clientHeight;
  }
}
