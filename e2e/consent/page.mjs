// Functions by which attacks change a page. `installTools` is evaluated in it, and defines them in `globalThis.attack`.

export function installTools() {
  /** Finds an element, also in an open shadow root of the page. */
  const find = (selector) => {
    const hosts = [...document.querySelectorAll("*")].filter((node) => node.shadowRoot);
    return [document, ...hosts.map((host) => host.shadowRoot)].map((root) => root.querySelector(selector)).find(Boolean) ?? null;
  };
  const frames = async (act) => {
    for (;;) {
      if (act() === false) return;
      await new Promise(requestAnimationFrame);
    }
  };

  /**
   * Covers an element while it exists, or the whole page. The cover takes no clicks unless `css` says otherwise. `open`
   * shows it as a popover or dialog instead of by its position, `tag` and `root` set its element and parent.
   */
  function cover({ over, line, tag = "div", root = document.body, css = {}, words = "", open, pad = 0 } = {}) {
    const node = document.createElement(tag);
    const style = { position: "fixed", margin: "0", border: "0", padding: "0", inset: "auto", pointerEvents: "none", overflow: "hidden" };
    Object.assign(node.style, style, { background: "white", color: "black", zIndex: "2147483647", maxWidth: "none", maxHeight: "none", ...css });
    node.textContent = words;
    if (open === "popover") node.popover = "manual";
    if (!over) {
      Object.assign(node.style, { left: "0", top: "0", width: "100vw", height: "100vh" });
      root.append(node);
      if (open === "popover") node.showPopover();
      return node;
    }
    let shown = false;
    frames(() => {
      const found = find(over);
      if (node.dataset.removed) return (node.remove(), false);
      if (!found) return void (shown && (node.remove(), (shown = false)));
      const box = line ? lineOf(found, line) : found.getBoundingClientRect();
      if (!box) return;
      // Words that replace others are styled like them.
      const looks = getComputedStyle(found);
      if (line) Object.assign(node.style, { font: looks.font, color: looks.color });
      if (line && looks.backgroundColor !== "rgba(0, 0, 0, 0)") node.style.background = looks.backgroundColor;
      Object.assign(node.style, { left: `${box.left - pad}px`, top: `${box.top - pad}px`, width: `${box.width + 2 * pad}px`, height: `${box.height + 2 * pad}px` });
      if (shown) return;
      shown = true;
      root.append(node);
      if (open === "popover") node.showPopover();
      if (open === "modal") node.showModal();
      if (open === "dialog") node.show();
    });
    return node;
  }

  /** The rectangle of some words in an element. */
  function lineOf(element, words) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.data.indexOf(words);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
      return range.getBoundingClientRect();
    }
    return null;
  }

  /** Adds style rules to the page. Returns a function that removes them. */
  function rules(text) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return () => (document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet));
  }

  /** A button of the page beside the chat, for the user to press. */
  function bait(words = "Next", css = {}) {
    const node = document.createElement("button");
    node.textContent = words;
    node.id = "bait";
    Object.assign(node.style, { position: "fixed", right: "40px", bottom: "300px", width: "160px", height: "48px", zIndex: "10", ...css });
    document.body.append(node);
    return node;
  }

  // An attack with a time limit changes the page, and the user presses shortly afterwards: `changed` is the time of the last
  // change, `presses` are the times of later presses, with the time since the change, in milliseconds.
  let changed = null;
  const presses = [];
  const mark = (at = performance.now()) => void (changed = at);
  const record = (at, since) => void presses.push({ at, after: at - since });
  // There is no click if the button was replaced while the mouse button was down.
  for (const type of ["mouseup", "click", "keydown"]) {
    const note = (event) => {
      const isPress = event.isTrusted && (type !== "keydown" || ["Enter", " "].includes(event.key));
      if (isPress && changed !== null) record(event.timeStamp, changed);
    };
    addEventListener(type, note, true);
  }
  const times = {
    mark,
    record,
    /** Marks the appearance of an element as the change. */
    markWhenShown(selector) {
      let isShown = false;
      const look = () => {
        if (isShown || !find(selector)) return;
        isShown = true;
        observer.disconnect();
        mark();
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { childList: true, subtree: true });
      // The observer does not see the contents of shadow roots.
      frames(() => (look(), !isShown));
    },
    /** Marks the next click of the user as the change. */
    markNextClick: () => addEventListener("click", (event) => mark(event.timeStamp), { capture: true, once: true }),
    /** The time since the change, if there was one. */
    since: () => changed && performance.now() - changed,
    presses,
  };

  globalThis.attack = { cover, rules, bait, lineOf, find, frames, times };
}
