// The chat as an element: `<leptos-assistant url="…"></leptos-assistant>`. This file is small: the program is fetched
// when the element is connected, or with `loading="lazy"` when it is visible.

/** The options that may be attributes, by the names of attributes, and how they are parsed. */
const ATTRIBUTES = {
  url: ["url", String],
  label: ["label", String],
  greeting: ["greeting", String],
  "heading-offset": ["headingOffset", Number],
  protocol: ["protocol", String],
  model: ["model", String],
  resumes: ["resumes", () => true],
  store: ["store", String],
  "store-name": ["storeName", String],
  "thread-id": ["threadId", String],
};

/** Tells whether an option needs the larger module. */
const needsFull = ({ protocol = "ag-ui", store }) => protocol !== "ag-ui" || store !== undefined;

/** See element.d.ts. */
export class LeptosAssistantElement extends (globalThis.HTMLElement ?? Object) {
  // Set already on an element that was in the page before this file.
  options = Object.hasOwn(this, "options") ? this.options : {};

  /** Registered actions, each with the function that removes it from the present chat. */
  #actions = new Set();
  #chat;
  /** Identifies the newest attempt to mount a chat. */
  #turn = 0;
  #started = false;
  #watch;

  get chat() {
    return this.#chat;
  }

  connectedCallback() {
    if (this.#started) return;
    this.#started = true;
    const turn = ++this.#turn;
    // The script that created the element may still be setting its attributes.
    queueMicrotask(() => {
      if (turn !== this.#turn) return;
      if (this.getAttribute("loading") !== "lazy") return void this.#mount(turn);
      this.#watch = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        this.#watch.disconnect();
        this.#mount(turn);
      });
      this.#watch.observe(this);
    });
  }

  disconnectedCallback() {
    // A moved element is removed and added again at once, and keeps its chat.
    queueMicrotask(() => {
      if (!this.isConnected) this.#end();
    });
  }

  registerAction(action) {
    const entry = { action, undo: this.#chat?.registerAction(action) };
    this.#actions.add(entry);
    return () => {
      this.#actions.delete(entry);
      entry.undo?.();
      entry.undo = undefined;
    };
  }

  async #mount(turn) {
    try {
      const options = this.#read();
      const { mount } = await (needsFull(options) ? import("./full.js") : import("./index.js"));
      if (turn !== this.#turn) return;
      // A clone of an element copies the nodes that were drawn in the original.
      this.replaceChildren();
      const chat = await mount(this, options);
      if (turn !== this.#turn) return chat.unmount();
      this.#chat = chat;
      for (const entry of this.#actions) this.#register(entry);
      this.dispatchEvent(new Event("ready"));
    } catch (error) {
      if (turn !== this.#turn) return;
      // An element that is added again tries again.
      this.#started = false;
      this.#tell(error);
    }
  }

  #end() {
    this.#turn++;
    this.#started = false;
    this.#watch?.disconnect();
    this.#chat?.unmount();
    this.#chat = undefined;
    for (const entry of this.#actions) entry.undo = undefined;
  }

  #register(entry) {
    try {
      entry.undo = this.#chat.registerAction(entry.action);
    } catch (error) {
      this.#actions.delete(entry);
      this.#tell(error);
    }
  }

  #read() {
    const options = { ...this.options };
    for (const [name, [option, read]] of Object.entries(ATTRIBUTES)) {
      const value = this.getAttribute(name);
      if (value !== null) options[option] = read(value);
    }
    return options;
  }

  #tell(error) {
    const event = new ErrorEvent("error", { error, message: String(error?.message ?? error), cancelable: true });
    if (this.dispatchEvent(event)) reportError(error);
  }
}

// Server rendering has no elements.
const elements = globalThis.customElements;
if (elements && !elements.get("leptos-assistant")) elements.define("leptos-assistant", LeptosAssistantElement);
