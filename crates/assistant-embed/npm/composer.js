// The composer of the element before the program is loaded (rule "the composer before the program"). The user types and
// sends at once; text, selection, focus and a sent message are passed to the composer of the program, which replaces this
// one within one task.
import { create, icon, isStyled, report } from "./dom.js";
import { languageOf } from "./language-tag.js";
// Written by `cargo xtask dist` from the tables of the library.
import { WORDS } from "./composer-words.js";

const SEND = "M16.5 3.5 9 11M16.5 3.5 12 16.5 9 11 3.5 8z";

/** The interval in which the end of a composition is awaited, in milliseconds. */
const SETTLE_MS = 50;

/** Joins texts by an empty line. */
const joined = (...texts) => texts.filter((text) => text.trim() !== "").join("\n\n");

/** Sets the height of the text box in browsers without `field-sizing`, as the program does. */
function grow(input) {
  if (CSS.supports("field-sizing", "content")) return;
  input.style.setProperty("--la-composer-height", "auto");
  input.style.setProperty("--la-composer-height", `${input.scrollHeight}px`);
}

/** Calls a function with the session storage, and returns its result, or `undefined` if the page may not use the storage. */
function inStorage(use) {
  try {
    return use(sessionStorage);
  } catch {
    return undefined;
  }
}

/** Replaces the text of the program's composer, as the user would. */
function write(input, text) {
  input.value = text;
  input.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
}

/** Draws the composer in an element, if its styles apply. `load` begins to load the program. */
export function drawComposer(place, options, load) {
  if (!isStyled(place, "--la-sheet")) return undefined;
  const composer = new EarlyComposer(place, options.slots, load);
  composer.describe(options);
  return composer;
}

class EarlyComposer {
  #place;
  #load;
  #chat;
  #title;
  #scroller;
  #transcript;
  #form;
  #input;
  #button;
  #hint;
  #words;
  /** The elements that show the sent message. */
  #turn;
  #status;
  /** The notice that the program could not be loaded. */
  #notice;
  /** The text of the sent message, until it is passed on. */
  #sent;
  /** True while an input method composes text. */
  #composes = false;
  /** The key of the unsent text in the session storage, if the conversation is stored. */
  #key;

  constructor(place, { header, footer } = {}, load) {
    this.#place = place;
    this.#load = load;
    this.#chat = create(place, "section", "la-chat", { "data-early": "" });
    const top = create(this.#chat, "header", "la-chat-header");
    this.#title = create(create(top, "div", "la-chat-heading"), "h2", "la-chat-title");
    // Announced by the status.
    const log = { role: "log", "aria-live": "off", tabindex: "0" };
    this.#scroller = create(create(this.#chat, "div", "la-transcript"), "div", "la-transcript-scroller", log);
    this.#transcript = create(this.#scroller, "div", "la-transcript-content");
    this.#turn = create(this.#transcript, "div", "la-early-turn");
    this.#status = create(this.#transcript, "div", "la-early-status", { role: "status" });
    this.#form = create(this.#chat, "form", "la-composer", { "data-state": "idle" });
    const box = create(this.#form, "div", "la-composer-box");
    this.#input = create(box, "textarea", "la-composer-input", { rows: "1" });
    const bar = create(create(box, "div", "la-composer-bar"), "div", "la-composer-actions");
    this.#button = create(bar, "button", "la-button", { type: "submit", "data-variant": "primary" });
    const { svg, draw } = icon();
    draw(SEND);
    this.#button.append(svg, document.createElement("span"));
    this.#hint = create(this.#form, "p", "la-composer-hint");
    for (const [name, node] of Object.entries({ header, footer })) node?.classList?.add("la-slot", `la-slot-${name}`);
    if (header) top.after(header);
    if (footer) this.#chat.append(footer);
    this.#listen();
  }

  #listen() {
    const input = this.#input;
    input.addEventListener("compositionstart", () => (this.#composes = true));
    input.addEventListener("compositionend", () => (this.#composes = false));
    input.addEventListener("input", () => {
      grow(input);
      this.#store();
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      this.#form.requestSubmit();
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.#sent !== undefined || input.value.trim() === "") return;
      this.#sent = input.value;
      input.value = "";
      grow(input);
      this.#store();
      // The button, which is about to be disabled, passes the focus on.
      if (this.#focused() === this.#button) input.focus();
      this.#show();
      this.#load();
    });
  }

  /** Sets the name of the chat and the texts, in a language. */
  describe(options) {
    const { label, lang, labels } = options;
    this.#storeAs(options);
    const known = WORDS[languageOf(lang) ?? "en"];
    const own = (name) => (typeof labels?.[name] === "string" ? labels[name] : known[name]);
    this.#words = Object.fromEntries(Object.keys(known).map((name) => [name, own(name)]));
    const { title, conversation, message, placeholder, hint, send } = this.#words;
    this.#title.textContent = label || title;
    this.#chat.setAttribute("aria-label", label || title);
    this.#scroller.setAttribute("aria-label", conversation);
    for (const [name, text] of Object.entries({ placeholder, "aria-label": message, "aria-description": hint })) this.#input.setAttribute(name, text);
    this.#button.lastChild.textContent = send;
    this.#hint.textContent = hint;
    this.#show();
  }

  /** Restores the unsent text of an earlier page of this tab, and stores it under the key of the program (`draft_key`). */
  #storeAs({ store, storeName, threadId, initial }) {
    const id = threadId || initial?.threadId;
    const key = store && `leptos-assistant-draft/${storeName ?? "leptos-assistant"}${id ? `/${id}` : ""}`;
    if (key === this.#key) return;
    this.#forget();
    const input = this.#input;
    input.value = joined(inStorage((storage) => key && storage.getItem(key)) || "", input.value);
    grow(input);
    this.#key = key;
    this.#store();
  }

  /** Removes the stored text. */
  #forget() {
    inStorage((storage) => this.#key && storage.removeItem(this.#key));
  }

  /** Stores the unsent text. */
  #store() {
    const text = joined(this.#sent ?? "", this.#input.value);
    this.#forget();
    if (text) inStorage((storage) => this.#key && storage.setItem(this.#key, text));
  }

  /** Shows the sent message, as the program does until it has an answer. */
  #show() {
    const isSent = this.#sent !== undefined;
    // Not hidden: it has the place of Stop, which the program shows.
    this.#button.disabled = isSent;
    this.#turn.replaceChildren();
    this.#status.replaceChildren();
    if (!isSent) return;
    const turn = create(this.#turn, "article", "la-turn", { "data-of": "user", "data-newest": "" });
    create(turn, "h3", "la-visually-hidden").textContent = this.#words.you;
    const parts = create(create(turn, "div", "la-message", { "data-role": "user" }), "div", "la-message-parts");
    const block = create(create(parts, "div", "la-part la-text message-content"), "p", "la-text-block", { dir: "auto" });
    block.textContent = this.#sent.trimEnd();
    create(create(turn, "div", "la-message-bar", { "data-of": "user" }), "span", "la-bar-room");
    create(create(this.#status, "p", "la-working"), "span", "la-working-quiet").textContent = this.#words.thinking;
  }

  loading() {
    this.#notice?.remove();
  }

  /** Shows that the program could not be loaded, with a button that retries. */
  failed() {
    this.takeBack();
    this.#notice?.remove();
    this.#notice = create(this.#transcript, "div", "la-shell-state", { role: "alert" });
    report(this.#notice, this.#words, () => {
      this.#input.focus();
      this.#load();
    });
  }

  /** Puts a message that was not passed on before the text of the box. */
  takeBack() {
    if (this.#sent === undefined) return;
    this.#input.value = joined(this.#sent, this.#input.value);
    this.#sent = undefined;
    grow(this.#input);
    this.#show();
  }

  #focused() {
    return this.#chat.getRootNode().activeElement;
  }

  /** Resolves when no input method composes text: a composition ends when its text box loses the focus. */
  async settled() {
    while (this.#composes && this.#focused() === this.#input) await new Promise((done) => setTimeout(done, SETTLE_MS));
  }

  /** Passes everything to the composer of the program, which is in the same element, and removes this one. */
  passOn() {
    const from = this.#input;
    const chat = this.#place.querySelector("[data-assistant-chat]");
    const to = chat.querySelector(".la-composer-input");
    const active = this.#focused();
    // The program stores the text that it gets.
    this.#forget();
    if (this.#sent !== undefined) {
      write(to, this.#sent);
      to.form.requestSubmit();
    }
    // A message that the program refuses stays in its text box.
    if (to.value !== "") write(to, joined(to.value, from.value));
    else if (from.value !== "") {
      write(to, from.value);
      to.setSelectionRange(from.selectionStart, from.selectionEnd, from.selectionDirection);
      to.scrollTop = from.scrollTop;
    }
    const places = new Map([[this.#button, ".la-composer [type=submit]"], [this.#scroller, ".la-transcript-scroller"]]);
    if (this.#chat.contains(active)) chat.querySelector(places.get(active) ?? ".la-composer-input").focus({ preventScroll: true });
    this.#chat.remove();
  }
}
