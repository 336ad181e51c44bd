// The chat as an element: `<leptos-assistant url="…"></leptos-assistant>`. This file and the files that it imports at its
// beginning are small; the program is fetched when the attribute `loading` says. See element.d.ts.
import { TEXT_ATTRIBUTES, LIVE, OF_AGENT, changedOptions, fault, layoutOf, loadingOf, readOptions } from "./attributes.js";
import { checks } from "./checked.js";
import { atIntent, whenIdle, whenVisible } from "./intent.js";
import { Inline, Shell } from "./launcher.js";
import { shortcutOf } from "./shortcut.js";

/** The time for which a removed element keeps its chat, in milliseconds. */
const KEPT_MS = 60_000;

/** The removed elements that keep their chats. */
const away = new Set();

const OBSERVED = [...TEXT_ATTRIBUTES, "heading-offset", "resumes", "lang", "layout", "loading", "open", "shortcut"];

/** Returns true if an option needs the larger module. */
const needsFull = ({ protocol = "ag-ui", store }) => protocol !== "ag-ui" || store !== undefined;

/** See element.d.ts. */
export class LeptosAssistantElement extends (globalThis.HTMLElement ?? Object) {
  static observedAttributes = OBSERVED;

  /** The registered actions, each with the function that removes it from the current chat. */
  #actions = new Set();
  #options = {};
  #chat;
  /** The function that removes the chat from the page. */
  #unmount;
  /** The options of the last attempt, if it failed. */
  #refused;
  /** True from the moment at which the load is scheduled until the chat ends or fails to load. */
  #isExpected = false;
  /** True once all methods of the chat are loaded. */
  #isLoaded = false;
  /** The options of the chat, or of the chat that is being mounted. */
  #mounted;
  /** The number of the newest attempt to mount a chat. */
  #turn = 0;
  #view;
  #place;
  /** The composer that is shown until the chat is. */
  #early;
  /** The shadow root that contains the chat, if the element requests one. */
  #shadow;
  /** The child elements that the page has written, by the names of their slots. */
  #slots;
  /** The function that removes the listeners that exist while the element is in a document. */
  #listeners;
  #forget;
  #queued = false;
  /** True if attributes or options may have changed since the last attempt to mount a chat began. */
  #isStale = false;
  #reported = new Set();
  /** Reports an attribute that is ignored, once. */
  #complain = (error) => {
    if (this.#reported.has(error.message)) return;
    this.#reported.add(error.message);
    this.#report(error);
  };

  constructor() {
    super();
    // Set already on an element that was in the page before this file.
    for (const name of ["options", "open"]) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
  }

  get chat() {
    return this.#isLoaded ? this.#chat : undefined;
  }

  get options() {
    return this.#options;
  }

  set options(options) {
    this.#options = options ?? {};
    this.#refresh();
  }

  connectedCallback() {
    away.delete(this);
    clearTimeout(this.#forget);
    this.#refresh();
  }

  disconnectedCallback() {
    away.add(this);
    // A moved element is removed and added again at once.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#listeners?.abort();
      this.#listeners = undefined;
      this.#view?.count(false);
      clearTimeout(this.#forget);
      this.#forget = setTimeout(() => this.#leave(), KEPT_MS);
    });
  }

  attributeChangedCallback() {
    this.#refresh();
  }

  // A framework that sets properties, as in `open={true}`, must not replace the method.
  get open() {
    return () => this.setAttribute("open", "");
  }

  set open(open) {
    this.toggleAttribute("open", open === "" || Boolean(open));
  }

  close() {
    this.removeAttribute("open");
  }

  toggle() {
    this.toggleAttribute("open", !this.#isOpen());
  }

  registerAction(action) {
    const entry = { action, undo: this.chat?.registerAction(action) };
    this.#actions.add(entry);
    return () => {
      this.#actions.delete(entry);
      entry.undo?.();
      entry.undo = undefined;
    };
  }

  #isOpen() {
    return this.hasAttribute("open");
  }

  /** Applies attributes and options once the script that changes them has ended. */
  #refresh() {
    this.#isStale = true;
    if (this.#queued || !this.isConnected) return;
    // Children with a slot follow the tag, which the browser may still be reading.
    if (!this.#place && document.readyState === "loading") return document.addEventListener("DOMContentLoaded", () => this.#refresh(), { once: true });
    this.#queued = true;
    queueMicrotask(async () => {
      this.#queued = false;
      if (!this.isConnected) return;
      try {
        await this.#apply();
      } catch (error) {
        this.#report(error);
      }
    });
  }

  #apply() {
    if (!this.#place && !this.#shadow && this.hasAttribute("shadow")) return this.#attach();
    const complain = this.#complain;
    const layout = layoutOf(this, complain);
    if (this.#view?.layout !== layout) this.#arrange(layout);
    const { options, error } = this.#read();
    this.#view.describe(options.label, options.lang, shortcutOf(this.getAttribute("shortcut"), complain));
    this.#early?.describe(options);
    const opened = this.#view.show(this.#isOpen());
    if (opened !== undefined) this.#send("open", { open: opened });
    const loading = loadingOf(this, layout, complain);
    this.#listen(layout, loading);
    if (this.#isExpected && layout === "inline" && loading !== "visible" && !error) void this.#draw();
    if (this.#mounted) return this.#update();
    const isWanted = opened || (this.#isOpen() && layout !== "inline");
    const refused = this.#refused;
    if (refused ? !error && (isWanted || changedOptions(options, refused).length > 0) : isWanted) this.#load();
  }

  /** Attaches a shadow root, and applies attributes and options then. */
  async #attach() {
    this.#queued = true;
    try {
      const checked = await checks();
      this.#shadow = await (await (checked?.load("shadow.js") ?? import("./shadow.js"))).open(this, checked);
    } catch (error) {
      this.#complain(error);
      // There is no view with Retry yet. Attributes that change meanwhile are applied by the next attempt.
      await new Promise((done) => setTimeout(done, 5_000));
    } finally {
      this.#queued = false;
    }
    this.#refresh();
  }

  /** Builds the view of a layout, and moves the chat into it. */
  #arrange(layout) {
    if (!this.#place) {
      // In a copy of an element that was mounted, the children are inside of its window.
      const children = this.querySelectorAll(":scope > [slot], :scope > [hidden] > [slot], .la-slot[slot]");
      this.#slots = Object.fromEntries([...children].map((child) => [child.slot, child]));
      if (!this.#shadow) {
        // The children wait for the window. A clone of an element copies the nodes that were drawn in the original.
        const waiting = document.createElement("div");
        waiting.hidden = true;
        waiting.append(...children);
        this.replaceChildren(waiting);
      }
      this.#place = document.createElement("div");
      this.#place.className = "la-place";
    }
    this.#view?.remove();
    this.#listeners?.abort();
    this.#listeners = undefined;
    const actions = { toggle: () => this.toggle(), close: () => this.close(), retry: () => this.#load() };
    const root = this.#shadow?.place ?? this;
    this.#view = layout === "inline" ? new Inline(this, this.#place, root, actions) : new Shell(root, this.#place, layout, actions);
    if (this.#chat) this.#view.ready();
  }

  /** Adds the listeners of a connected element, unless they exist. */
  #listen(layout, loading) {
    if (this.#listeners) return;
    this.#listeners = new AbortController();
    const { signal } = this.#listeners;
    this.#view.listen(signal);
    // The language of the page.
    const page = new MutationObserver(() => this.#refresh());
    page.observe(document.documentElement, { attributeFilter: ["lang"] });
    signal.addEventListener("abort", () => page.disconnect());
    if (this.#mounted) return;
    this.#isExpected = true;
    const load = () => this.#load();
    if (loading === "eager") load();
    else if (loading === "idle") whenIdle(signal, load);
    else if (loading === "visible") whenVisible(this.#view.button ?? this, signal, load);
    else atIntent(this.#view.button, signal, load);
  }

  /** Draws a composer that the user can use until the chat is mounted. */
  async #draw() {
    const turn = this.#turn;
    const isOver = () => this.#early || this.#chat || turn !== this.#turn;
    if (isOver()) return;
    try {
      const checked = await checks();
      const script = checked?.load("composer.js") ?? import("./composer.js");
      const [{ drawComposer }] = await Promise.all([script, (this.#shadow ?? this.#view).styled()]);
      if (isOver()) return;
      const { options } = this.#read();
      options.slots = this.#slotsFor(options);
      this.#early = drawComposer(this.#place, options, () => this.#load());
      if (this.#early) this.#view.ready();
    } catch {
      // Without it, the program's composer is the first. Failures to load are reported with the program.
    }
  }

  /** Returns the nodes for the slots of a window. */
  #slotsFor(options) {
    const slots = options.slots ?? this.#slots;
    return this.#shadow?.slots(slots) ?? slots;
  }

  /** Mounts the chat, unless it is mounted. */
  #load() {
    if (!this.#mounted) void this.#mount();
  }

  async #mount() {
    const turn = ++this.#turn;
    this.#isExpected = true;
    const { options, error } = this.#read();
    this.#refused = undefined;
    this.#isStale = false;
    try {
      if (error) throw error;
      if (options.store) for (const other of away) other.#giveUp(options);
      this.#mounted = options;
      (this.#early ?? this.#view).loading();
      void this.#draw();
      const checked = await checks();
      const script = needsFull(options) ? (checked?.load("full.js") ?? import("./full.js")) : (checked?.load("index.js") ?? import("./index.js"));
      const program = script.catch((cause) => {
        throw new Error("<leptos-assistant>: the program could not be loaded", { cause });
      });
      const [{ mount }] = await Promise.all([program, (this.#shadow ?? this.#view).styled()]);
      if (turn !== this.#turn) return;
      let chat;
      const shown = (mounted) => {
        if (turn !== this.#turn) return mounted.unmount();
        this.#unmount = mounted.unmount;
        chat = { ...mounted, unmount: () => void (this.#chat === chat && this.#end()) };
        this.#chat = chat;
        this.#early?.passOn();
        this.#early = undefined;
        this.#view.ready();
        // Something may have changed meanwhile.
        this.#refresh();
      };
      const settled = () => this.#early?.settled();
      await mount(this.#place, { ...options, slots: this.#slotsFor(options), onEvent: (event) => this.#forward(event) }, shown, checked, settled);
      if (turn !== this.#turn) return;
      this.#isLoaded = true;
      for (const entry of this.#actions) this.#register(entry);
      this.#send("ready", { chat });
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#end();
      this.#refused = options;
      (this.#early ?? this.#view).failed();
      this.#report(error);
      // They may have been corrected meanwhile.
      if (this.#isStale && changedOptions(options, this.#read().options).length > 0) this.#refresh();
    }
  }

  /** Applies changed options to the chat, or mounts a new chat. */
  #update() {
    const { options, error } = this.#read();
    let changed = changedOptions(options, this.#mounted);
    if (error) {
      this.#complain(error);
      changed = changed.filter((name) => LIVE.includes(name) && !OF_AGENT.includes(name));
    }
    if (!changed.every((name) => LIVE.includes(name))) {
      this.#end();
      return this.#load();
    }
    // Otherwise the chat that is being mounted is updated once it is there.
    if (!this.#chat) return;
    const ofAgent = changed.filter((name) => OF_AGENT.includes(name));
    for (const names of [ofAgent, ...changed.filter((name) => !OF_AGENT.includes(name)).map((name) => [name])]) {
      const changes = Object.fromEntries(names.map((name) => [name, options[name]]));
      try {
        if (names.length > 0) this.#chat.update(changes);
        this.#mounted = { ...this.#mounted, ...changes };
      } catch (error) {
        this.#complain(error);
      }
    }
  }

  /** Ends the chat of a removed element if it locks the stored conversation of a new chat with these options. */
  #giveUp({ storeName, threadId }) {
    const own = this.#mounted;
    const isSame = threadId ? threadId === this.chat?.threadId() : !own?.threadId;
    if (own?.store && own.storeName === storeName && isSame) this.#leave();
  }

  /** Ends the chat of a removed element. */
  #leave() {
    away.delete(this);
    this.#end();
    this.#early?.takeBack();
  }

  #end() {
    const wasMounted = this.#mounted;
    this.#turn++;
    this.#isExpected = false;
    this.#mounted = undefined;
    this.#unmount?.();
    this.#unmount = undefined;
    this.#chat = undefined;
    this.#isLoaded = false;
    for (const entry of this.#actions) entry.undo = undefined;
    if (wasMounted) this.#send("end");
  }

  #register(entry) {
    try {
      entry.undo = this.#chat.registerAction(entry.action);
    } catch (error) {
      this.#actions.delete(entry);
      this.#report(error);
    }
  }

  #forward({ type, ...detail }) {
    const isNews = type === "approval" || type === "question" || (type === "message" && detail.role !== "user");
    if (isNews) this.#view.news();
    if (type !== "question") this.#send(type, detail);
  }

  /** Reads the options; `error` in the result is the reason why no chat can be mounted. */
  #read() {
    const { options, error } = readOptions(this, this.#options, this.#complain);
    return { options: { ...options, lang: this.#language() }, error };
  }

  #language() {
    return this.closest("[lang]")?.getAttribute("lang") ?? document.documentElement.lang;
  }

  #send(kind, detail, cancelable = false) {
    const event = new CustomEvent(`leptos-assistant-${kind}`, { bubbles: true, composed: true, cancelable, detail });
    return this.dispatchEvent(event);
  }

  #report(error) {
    const known = error instanceof Error ? error : fault(String(error));
    if (this.#send("error", { message: known.message, error: known }, true)) reportError(known);
  }
}

// Server rendering has no elements.
const elements = globalThis.customElements;
if (elements && !elements.get("leptos-assistant")) elements.define("leptos-assistant", LeptosAssistantElement);
