// The button that opens a chat, and the box that it opens. Both exist before the program, as does the composer in composer.js.
import { checks } from "./checked.js";
import { create, icon, isStyled, report, say } from "./dom.js";
import { isPressed } from "./shortcut.js";
import { directionOf, languageOf } from "./language-tag.js";
// Written by `cargo xtask dist` from the tables of the library.
import { WORDS } from "./launcher-words.js";

const CHAT = "M4 4.5h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-4.5L8 16.5v-3H4a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM6.5 7.7h7M6.5 10.3h4.5";
const CROSS = "m5.5 5.5 9 9m0-9-9 9";

let count = 0;

/** The time for which a view waits for a sheet, in milliseconds. No event tells that a sheet of the page failed earlier. */
const MAX_WAIT_MS = 10_000;

/** Links a style sheet of the package next to an element. Resolves when the sheet is loaded, has failed to load, or takes too long. */
async function link(element, name, { href }) {
  // A failure is reported when the program is loaded.
  const integrity = (await checks().catch(() => undefined))?.hashOf(name) ?? "";
  // A file of another origin can only be checked if it is requested with CORS, as the script is.
  const crossOrigin = integrity ? "anonymous" : null;
  const root = element.getRootNode();
  const known = [...root.querySelectorAll("link[rel=stylesheet]")].find((link) => link.href === href);
  if (known?.sheet) return;
  const sheet = known ?? (root.head ?? root).appendChild(Object.assign(document.createElement("link"), { rel: "stylesheet", href, integrity, crossOrigin }));
  await new Promise((done) => {
    setTimeout(done, MAX_WAIT_MS);
    sheet.addEventListener("load", done, { once: true });
    // Removed, so that the next attempt loads it again.
    sheet.addEventListener("error", () => done(sheet.remove()), { once: true });
  });
}

/** Links the style sheet of the chat, unless the page has it. */
const styled = (element) => (isStyled(element, "--la-sheet") ? Promise.resolve() : link(element, "style.css", new URL("./style.css", import.meta.url)));

/** Returns the texts of a launcher in a language, or in English. */
const wordsOf = (language) => WORDS[languageOf(language) ?? "en"];

/** Sets the language and the direction of an element if the labels are not English. */
function speak(place, language) {
  const code = languageOf(language);
  for (const [name, value] of [["lang", language], ["dir", directionOf(code)]]) {
    if (code) place.setAttribute(name, value);
    else place.removeAttribute(name);
  }
}

/** The view of a chat inside of the element, without a button. */
export class Inline {
  layout = "inline";
  /** Only other layouts have one. */
  button;
  #element;
  #place;
  #actions;
  #words = wordsOf("en");
  /** The notice that the program could not be loaded. */
  #notice;
  #isOpen;

  constructor(element, place, root, actions) {
    this.#element = element;
    this.#place = place;
    this.#actions = actions;
    root.append(place);
  }

  describe(_label, language) {
    this.#words = wordsOf(language);
    speak(this.#place, language);
  }

  listen() {}

  /** Shows or hides the element once `open` was used. Returns the new state if the state has changed. */
  show(isOpen) {
    if (isOpen === Boolean(this.#isOpen)) return undefined;
    this.#isOpen = isOpen;
    this.#element.hidden = !isOpen;
    return isOpen;
  }

  loading() {
    this.#notice?.remove();
  }

  ready() {}

  count() {}

  failed() {
    // Also one of an attempt that failed before it began to load.
    this.loading();
    this.#notice = create(this.#place, "div", "la-shell-state", { role: "alert" });
    report(this.#notice, this.#words, this.#actions.retry);
  }

  news() {}

  styled() {
    return styled(this.#place);
  }

  remove() {
    // Another layout shows a closed chat by its button.
    if (this.#isOpen === false) this.#element.hidden = false;
    this.#place.remove();
  }
}

/** The view of a chat as a button, and a box above or beside the page. */
export class Shell {
  #actions;
  #root;
  #icon = icon();
  #mark;
  #box;
  #state;
  #place;
  #shortcut;
  #words = wordsOf("en");
  #isOpen = false;
  /** True if the root element counts this view as an open sidebar. */
  #isCounted = false;
  /** True if the composer gets the focus once it is mounted. */
  #awaitsFocus = false;

  constructor(element, place, layout, actions) {
    const id = `la-shell-${++count}`;
    const isPopup = layout === "popup";
    this.layout = layout;
    this.#actions = actions;
    this.#place = place;
    this.#root = create(element, "div", `la-${layout} la-standalone la-shell`);
    this.button = create(this.#root, "button", isPopup ? "la-popup-button" : "la-button la-sidebar-button", { type: "button" });
    if (!isPopup) {
      this.button.dataset.variant = "quiet";
      this.button.dataset.shape = "icon";
    }
    this.button.setAttribute("aria-expanded", "false");
    this.button.setAttribute("aria-controls", id);
    this.button.append(this.#icon.svg);
    this.#mark = create(this.#root, "span", "la-visually-hidden", { role: "status" });
    this.#box = create(this.#root, "div", `la-${layout}-body`, { id });
    this.#box.hidden = true;
    this.#state = create(this.#box, "div", "la-shell-state", { role: "status", tabindex: "-1" });
    this.#state.hidden = true;
    this.#box.append(place);
    this.#icon.draw(CHAT);
    // Nothing is shown without its styles.
    if (!isStyled(this.#root, "--la-sheet") && !isStyled(this.#root, "--la-launcher-sheet")) {
      this.#root.hidden = true;
      void link(element, "launcher.css", new URL("./launcher.css", import.meta.url)).then(() => (this.#root.hidden = false));
    }
  }

  /** Sets the name of the button, the language, and the shortcut. */
  describe(label, language, shortcut) {
    this.#words = wordsOf(language);
    this.#shortcut = shortcut;
    this.button.setAttribute("aria-label", label || this.#words.title);
    if (shortcut) this.button.setAttribute("aria-keyshortcuts", shortcut.name);
    else this.button.removeAttribute("aria-keyshortcuts");
    speak(this.#root, language);
    speak(this.#place, language);
    if (this.#mark.textContent) this.#mark.textContent = this.#words.unread;
  }

  listen(signal) {
    const on = (target, kind, act) => target.addEventListener(kind, act, { signal });
    on(this.button, "click", this.#actions.toggle);
    on(this.#box, "keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing || event.defaultPrevented) return;
      if (this.#box.querySelector("dialog[open]")) return;
      event.preventDefault();
      this.#actions.close();
    });
    on(document, "keydown", (event) => {
      if (!this.#shortcut || event.defaultPrevented || event.isComposing || event.repeat || !isPressed(this.#shortcut, event)) return;
      event.preventDefault();
      this.#actions.toggle();
    });
  }

  /** Opens or closes the box. Returns the new state if the state has changed. */
  show(isOpen) {
    this.count(isOpen);
    if (isOpen === this.#isOpen) return undefined;
    this.#isOpen = isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
    this.#root.toggleAttribute("data-open", isOpen);
    this.#icon.draw(isOpen ? CROSS : CHAT);
    if (isOpen) {
      this.#box.hidden = false;
      this.#root.removeAttribute("data-unread");
      this.#mark.textContent = "";
      this.#focus();
    } else {
      this.#awaitsFocus = false;
      // Before the box is hidden: afterwards the focus is lost.
      if (this.#box.contains(this.#box.getRootNode().activeElement)) this.button.focus();
      this.#box.hidden = true;
    }
    return isOpen;
  }

  /** Counts an open sidebar in `data-la-sidebars` of the root element, so that the page can make room for it. */
  count(isOpen) {
    if (this.layout !== "sidebar" || isOpen === this.#isCounted) return;
    this.#isCounted = isOpen;
    const { dataset } = document.documentElement;
    const open = (Number(dataset.laSidebars) || 0) + (isOpen ? 1 : -1);
    if (open > 0) dataset.laSidebars = open;
    else delete dataset.laSidebars;
  }

  #focus() {
    const composer = this.#place.querySelector(".la-composer-input");
    this.#awaitsFocus = !composer;
    if (composer) composer.focus();
    else if (!this.#state.hidden) this.#state.focus();
  }

  /** Shows that the program is being loaded. */
  loading() {
    this.#clear();
    say(this.#state, this.#words.loading);
    if (this.#isOpen) this.#focus();
  }

  /** Shows the composer. */
  ready() {
    const hadFocus = this.#state.contains(this.#state.getRootNode().activeElement);
    this.#state.hidden = true;
    // Not if the user has turned to something else meanwhile.
    const free = hadFocus || document.activeElement === document.body || this.button.matches(":focus");
    if (this.#isOpen && this.#awaitsFocus && free) this.#focus();
  }

  /** Shows that the program could not be loaded, with a button that retries. */
  failed() {
    this.#clear();
    report(this.#state, this.#words, () => {
      this.#state.focus();
      this.#actions.retry();
    });
  }

  #clear() {
    this.#state.hidden = false;
    this.#state.replaceChildren();
  }

  /** Marks the button because an answer or a question has arrived while the box is closed. */
  news() {
    if (this.#isOpen) return;
    this.#root.setAttribute("data-unread", "");
    this.#mark.textContent = this.#words.unread;
  }

  styled() {
    return styled(this.#root);
  }

  remove() {
    this.count(false);
    this.#root.remove();
  }
}
