// Actions and contexts that components register, and the chats that get them: the part of react.js and vue.js that
// needs no framework (rule "components of React and Vue").

/** The attributes of the element. All other properties of a component are options of `mount`. */
const ATTRIBUTES = ["layout", "loading", "shortcut", "lang"];
/** The names of the slots of a window for content of the page. */
const SLOTS = ["header", "empty", "footer"];
/** The events of the element that components pass on. */
const EVENTS = ["open", "message", "approval", "action", "error"];
/** The fields of an action that draw into an element. */
const DRAWN = ["render", "renderApproval"];

/**
 * Creates a scope, which makes its registrations with every chat connected to it, whether the chat was connected
 * earlier or later. A registration that a chat refuses is reported as an error of the page.
 */
export function createScope() {
  const registrations = new Set();
  const outlets = new Map();
  const listeners = new Set();
  const changed = () => [...listeners].forEach((listener) => listener());
  const make = ({ register, undos }, chat) => {
    try {
      undos.set(chat, register(chat, outlets.get(chat)));
    } catch (error) {
      reportError(error);
    }
  };
  return {
    /**
     * Adds a registration: `register(chat, outlet)` registers it with a chat, and returns a function that ends it
     * there. Returns a function that removes the registration.
     */
    add(register) {
      const registration = { register, undos: new Map() };
      registrations.add(registration);
      for (const chat of outlets.keys()) make(registration, chat);
      return () => {
        registrations.delete(registration);
        for (const undo of registration.undos.values()) undo();
        registration.undos.clear();
      };
    },
    /** Connects a chat, whose cards `outlet` draws. Returns a function that disconnects the chat. */
    connect(chat, outlet) {
      outlets.set(chat, outlet);
      for (const registration of registrations) make(registration, chat);
      changed();
      return () => {
        outlets.delete(chat);
        for (const { undos } of registrations) {
          undos.get(chat)?.();
          undos.delete(chat);
        }
        changed();
      };
    },
    /** Returns the chat that was connected last. */
    chat: () => [...outlets.keys()].at(-1),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The scope of components outside of any other scope. */
export const pageScope = createScope();

/** Creates a store of a part of the state of the chat that `scope.chat()` returns. It is current while it has a listener. */
export function createStateStore(scope, name) {
  const values = new WeakMap();
  return {
    get: () => values.get(scope.chat()),
    subscribe(listener) {
      const follow = (chat) =>
        chat.subscribe(name, (value) => {
          values.set(chat, value);
          listener();
        });
      const stops = [scope.add(follow), scope.subscribe(listener)];
      return () => stops.forEach((stop) => stop());
    },
  };
}

/** The chats that were reported as ready. */
const reported = new WeakSet();

/**
 * Connects the chats of an element with a scope, and calls `send` with the name and detail of each event. A chat that
 * became ready while the element was not attached is reported at once. Returns a function that stops both.
 */
export function attach(node, scope, outlet, send) {
  const listeners = new AbortController();
  const on = (kind, handle) =>
    node.addEventListener(`leptos-assistant-${kind}`, ({ target, detail }) => target === node && handle(detail), { signal: listeners.signal });
  let disconnect;
  const connect = (chat) => {
    disconnect?.();
    disconnect = scope.connect(chat, outlet);
    if (reported.has(chat)) return;
    reported.add(chat);
    try {
      send("ready", chat);
    } catch (error) {
      reportError(error);
    }
  };
  const forget = () => {
    disconnect?.();
    disconnect = undefined;
  };
  on("end", forget);
  on("ready", ({ chat }) => connect(chat));
  for (const kind of EVENTS) on(kind, (detail) => send(kind, kind === "open" ? detail.open : detail));
  if (node.chat) connect(node.chat);
  return () => {
    listeners.abort();
    forget();
  };
}

/** Ends the chat of an element that is removed permanently, even if the chat is still being mounted. */
export function end(node) {
  node.chat?.unmount();
  node.addEventListener("leptos-assistant-ready", ({ detail }) => detail.chat.unmount());
}

/** Creates the option `slots`: an element for each slot that has content according to `has`. */
export function placesOf(has) {
  const names = SLOTS.filter((name) => has(name));
  return Object.fromEntries(names.map((name) => [name, document.createElement("div")]));
}

/**
 * Creates a function that applies the options of a component to its element. Each option that is a function is replaced
 * by a constant function that calls the newest one, because a new function would mount a new chat.
 */
export function createApply() {
  let newest = {};
  let applied;
  let wasOpen;
  const functions = {};
  const functionOf = (name) => (functions[name] ??= (...args) => newest[name](...args));
  return (node, { open, shadow, ...given }) => {
    newest = given;
    for (const name of ATTRIBUTES) {
      const value = given[name];
      if (value === undefined || value === null) node.removeAttribute(name);
      else if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    }
    node.toggleAttribute("shadow", Boolean(shadow));
    // Only a change, since the user opens and closes it, too.
    if (open !== undefined && open !== wasOpen) node.toggleAttribute("open", open);
    wasOpen = open;
    const options = {};
    for (const [name, value] of Object.entries(given)) {
      if (ATTRIBUTES.includes(name) || value === undefined) continue;
      options[name] = typeof value === "function" ? functionOf(name) : value;
    }
    if (!applied || !isSame(options, applied)) node.options = applied = options;
  };
}

function isSame(one, other) {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.is(one[name], other[name]));
}

/**
 * Returns an action whose functions call those of the action that `newest` returns at that time. Functions that draw
 * become `draw(call, element, render)`.
 */
export function withNewest(newest, draw) {
  const action = {};
  for (const [name, value] of Object.entries(newest())) {
    if (typeof value !== "function") action[name] = value;
    else if (DRAWN.includes(name)) action[name] = (call, element) => draw(call, element, (state) => newest()[name](state));
    else action[name] = (...args) => newest()[name](...args);
  }
  return action;
}

/** Returns a text that is equal for actions that differ only in their functions. */
export function shapeOf(action) {
  try {
    return JSON.stringify(action, (_, value) => (typeof value === "function" ? { function: true } : value));
  } catch {
    // It is refused when it is registered.
    return "";
  }
}
