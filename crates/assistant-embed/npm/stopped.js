// Detects that the program of the chats has been cut off: by a panic, by a trap (such as a full stack or exhausted
// memory), or by an exception of the page that passed through it. None of these runs code of the program, and its state
// cannot be relied on afterwards; so they are caught where the page enters the program, and shown without it. For
// programs in Rust see src/chat/stop_notice.rs and src/runtime/watch.rs.

/** The message of the error that calls throw after the end of the program. */
const TITLE = "The chat has stopped";
/** The text for users, as in the library's labels; a page may replace it. */
const WORDS = {
  stopped: TITLE,
  stoppedText: "Something went wrong on this page. Reload the page to continue.",
  reload: "Reload the page",
};

/**
 * The result of a call after the end of the program: neither an error nor a value where the glue code expects a pair of
 * both.
 */
const NOTHING = [];

/** The elements that contain chats, one for each chat. */
const places = new Set();
let stopped = false;
let isShown = false;
let depth = 0;

/** Returns true if the program has been cut off. */
export const hasStopped = () => stopped;

/** Calls a function of the program. Throws a plain error if the program has been cut off, before or by this call. */
export function enter(act) {
  if (stopped) {
    showEnd();
    throw new Error(TITLE);
  }
  try {
    return act();
  } catch (error) {
    throw stopped ? new Error(TITLE, { cause: error }) : error;
  }
}

/**
 * Registers the element of a chat, and the page's texts for the notice that the chat has stopped. Returns a function
 * that removes everything added to the element since, without the program; the function's `replace` replaces the texts.
 */
export function hold(element, labels) {
  const before = new Set(element.childNodes);
  const wordsOf = (labels) => Object.fromEntries(Object.entries(WORDS).map(([name, word]) => [name, String(labels?.[name] ?? word)]));
  const place = { element, words: wordsOf(labels) };
  places.add(place);
  const replace = (labels) => (place.words = wordsOf(labels));
  const clear = () => {
    places.delete(place);
    if (!stopped) return;
    for (const node of [...element.childNodes]) if (!before.has(node)) node.remove();
  };
  return Object.assign(clear, { replace });
}

/**
 * Wraps the functions of the program. An error that a function throws has cut the program off, which is not called any
 * more: later calls of the browser (timers, events, promises) do nothing, and imports that the program still calls
 * throw.
 */
export function guard(program) {
  const watch = (run) => (...args) => {
    if (stopped) {
      showEnd();
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
        // The stack is too full even for the check.
      }
      if (cutOff) {
        stopped = true;
        showEnd();
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
 * Returns true if an error passed through the program and ended it: a trap, a full stack, or an exception of a function
 * of the page. Errors that wasm-bindgen throws before any code of the program runs do not count.
 */
const wentThrough = (error) =>
  !(error instanceof Error && /^(closure invoked|null pointer passed|recursive use|attempted to take)/.test(error.message));

/**
 * Shows in every chat that the program has stopped, in a separate task, because the stack may be full. If the task
 * cannot even be scheduled, the next call schedules it.
 */
function showEnd() {
  if (isShown) return;
  try {
    setTimeout(() => {
      for (const { element, words } of places) {
        for (const chat of element.querySelectorAll("[data-assistant-chat]:not([data-stopped])")) showEndIn(chat, words);
      }
    });
    isShown = true;
  } catch {
    // The next call tries again.
  }
}

function showEndIn(chat, words) {
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
  // A link to the page itself works without the program.
  reload.setAttribute("href", "");
  reload.setAttribute("data-size", "small");
}

function add(parent, tag, className, text = "") {
  const element = parent.ownerDocument.createElement(tag);
  element.className = className;
  element.textContent = text;
  return parent.appendChild(element);
}
