// What the page does when the program behind its chats has been cut off: by a panic, by a trap, as when the stack or the
// memory runs out, or by an exception of the page's that went through it. None of that runs code of the program, and none
// of it can be relied on afterwards; so it is noticed here, where the page enters the program, and told here, without it.
// See src/chat/stopped.rs and src/runtime/watch.rs for programs in Rust.

/** What programs are told. */
const TITLE = "The chat has stopped";
/** What people are told, as in the library's labels; a page may have other words for it. */
const WORDS = {
  stopped: TITLE,
  stoppedText: "Something went wrong on this page. Load it again to go on.",
  reload: "Reload the page",
};

/** What is read as no error and no value where the glue expects a pair of both. */
const NOTHING = [];

/** The elements that hold chats; one for each chat. */
const places = new Set();
let stopped = false;
let told = false;
let depth = 0;

/** Whether the program has been cut off. */
export const hasStopped = () => stopped;

/** Calls into the program; throws plainly when it has been cut off, or is now. */
export function enter(act) {
  if (stopped) {
    tell();
    throw new Error(TITLE);
  }
  try {
    return act();
  } catch (error) {
    throw stopped ? new Error(TITLE, { cause: error }) : error;
  }
}

/**
 * Remembers an element that gets a chat, and the page's words for its end. Returns a function that takes out of it what
 * came since, without the program.
 */
export function hold(element, labels) {
  const before = new Set(element.childNodes);
  const words = Object.entries(WORDS).map(([name, word]) => [name, String(labels?.[name] ?? word)]);
  const place = { element, words: Object.fromEntries(words) };
  places.add(place);
  return () => {
    places.delete(place);
    if (!stopped) return;
    for (const node of [...element.childNodes]) if (!before.has(node)) node.remove();
  };
}

/**
 * The functions of the program, each watched: an error that leaves one has cut it off, and nothing enters it any more.
 * What the browser calls then (timers, events, promises) does nothing; what the dying program calls ends it.
 */
export function guard(program) {
  const watch = (run) => (...args) => {
    if (stopped) {
      tell();
      if (depth > 0) throw new Error(TITLE);
      return NOTHING;
    }
    depth++;
    try {
      return run(...args);
    } catch (error) {
      let cutOff = true;
      try {
        cutOff = wentThrough(error);
      } catch {
        // Not even room to look: the stack is full.
      }
      if (cutOff) {
        stopped = true;
        tell();
      }
      throw error;
    } finally {
      depth--;
    }
  };
  const entries = Object.entries(program);
  return Object.fromEntries(entries.map(([name, it]) => [name, typeof it === "function" ? watch(it) : it]));
}

/**
 * Whether an error went through the program, and so ended it in the middle: a trap, a full stack, or what a function of the
 * page threw. What wasm-bindgen refuses, before any of the program runs, does not.
 */
const wentThrough = (error) =>
  !(error instanceof Error && /^(closure invoked|null pointer passed|recursive use|attempted to take)/.test(error.message));

/** Tells it in every chat, in a task of its own: the stack may be full now. If it is too full for that, the next call tells. */
function tell() {
  if (told) return;
  try {
    setTimeout(() => {
      for (const { element, words } of places) {
        for (const chat of element.querySelectorAll("[data-assistant-chat]:not([data-stopped])")) tellIn(chat, words);
      }
    });
    told = true;
  } catch {
    // The next call tries again.
  }
}

function tellIn(chat, words) {
  chat.setAttribute("data-stopped", "");
  chat.removeAttribute("data-running");
  const status = chat.querySelector(".la-chat-status");
  if (status) status.textContent = words.stopped;
  for (const child of chat.children) child.setAttribute("inert", "");
  const notice = add(chat, "div", "la-notice la-stopped");
  notice.setAttribute("data-tone", "error");
  notice.setAttribute("role", "alert");
  const body = add(notice, "div", "la-notice-body");
  add(body, "p", "la-notice-title", words.stopped);
  add(body, "p", "la-notice-text", words.stoppedText);
  const reload = add(add(notice, "div", "la-notice-actions"), "a", "la-button", words.reload);
  // A link to the page itself needs no program to follow it.
  reload.setAttribute("href", "");
  reload.setAttribute("data-size", "small");
}

function add(parent, tag, className, text = "") {
  const element = parent.ownerDocument.createElement(tag);
  element.className = className;
  element.textContent = text;
  return parent.appendChild(element);
}
