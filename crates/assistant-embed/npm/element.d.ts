import type { FullChat, MountOptions, StoredPageAgentOptions } from "./full.js";
import type { ActionDefinition, ActionPhase, Chat } from "./index.js";

/** The options of `mount`, but those that the element sets itself. */
type ElementOptions<Options> = Options extends unknown ? Partial<Omit<Options, "lang" | "onEvent" | "shadow">> : never;

/**
 * The chat as an element, `<leptos-assistant>`, defined by importing this file. Its content is replaced by the chat, apart
 * from children with a `slot` of `header`, `empty` or `footer`, which are moved into it; an inline one must have a
 * height. The style sheets are linked when they are needed, unless the page links `style.css`.
 *
 * Attributes, all of which may be changed at any time:
 *
 * - `url`, `model`, `label`, `greeting`, `lang` change the chat that is shown. The language is that of the element, or
 *   of the nearest ancestor with one.
 * - `heading-offset`, `reattach`, `protocol`, `resumes`, `store`, `store-name`, `thread-id` begin another chat. The
 *   larger module is loaded when one of the last five needs it.
 * - `layout`: `inline` (the default), `popup` (a button that floats above the page) or `sidebar` (docked beside it).
 * - `open`: the popup or sidebar is open; an inline element that once had it is hidden without it.
 * - `shortcut`: the key that opens and closes a popup or sidebar, such as `Alt+Shift+A` or `Mod+J`, where `Mod` is
 *   Command on Apple's systems and Control elsewhere.
 * - `shadow`, read when the element is connected for the first time: the chat is in an open shadow root, which styles of
 *   the page do not reach, apart from `::part`.
 * - `loading`, read when the element is connected: `eager` (the default of `inline`) loads at once, `idle` when the
 *   browser is idle, `visible` when the element is visible, `intent` (the default of the others) when a pointer comes
 *   near the button or it has the focus; without a button, at the first input of the user on the page.
 *
 * Until the program is loaded, the element has a composer of its own (with `visible`, once the element is visible): text
 * and a sent message are passed to the chat's composer, which replaces it. `chat` and `leptos-assistant-ready` are those
 * of the program.
 *
 * An element that is removed keeps its chat for a minute, and a run continues meanwhile; one that is added again later
 * begins another chat. `chat.unmount()` ends it at once, and so does a new element with the same store and conversation.
 */
export class LeptosAssistantElement extends HTMLElement {
  /**
   * Options of `mount` that are not strings: `headers`, `agent`, `highlight`, `attachments` and others. Attributes take
   * precedence. Assign another object to change them: new `headers` and `credentials` apply from the next request on,
   * new `labels` at once, and the others begin another chat.
   */
  options: ElementOptions<MountOptions | StoredPageAgentOptions>;
  /**
   * The chat, from `leptos-assistant-ready` on. It is a `FullChat` if the element has a store, or another protocol than
   * AG-UI.
   */
  readonly chat: Chat | FullChat | undefined;
  /**
   * Opens the popup or sidebar and moves the focus into its composer; shows an inline element. An assigned value opens or
   * closes it, as the attribute does, because frameworks assign properties.
   */
  get open(): () => void;
  set open(open: boolean | "");
  /** Closes the popup or sidebar, and returns the focus to its button; hides an inline element. */
  close(): void;
  /** Opens or closes. */
  toggle(): void;
  /**
   * Registers an action with every chat that the element creates, now or later. Returns a function that removes it.
   * Throws on a name that providers refuse if the chat is mounted; otherwise `leptos-assistant-error` reports it.
   */
  registerAction<Args = any>(action: ActionDefinition<Args>): () => void;
}

/** The events of the element; all bubble and leave shadow trees. */
export interface LeptosAssistantEvents {
  /** The chat is mounted. */
  "leptos-assistant-ready": CustomEvent<{ chat: Chat | FullChat }>;
  /** It was opened or closed. */
  "leptos-assistant-open": CustomEvent<{ open: boolean }>;
  /** A message is complete: the user's, or the agent's once its text has ended. */
  "leptos-assistant-message": CustomEvent<{ id: string; role: string }>;
  /** The user is asked to approve a call. */
  "leptos-assistant-approval": CustomEvent<{ id: number; name: string }>;
  /** A call runs, or has ended. */
  "leptos-assistant-action": CustomEvent<{ id: number; name: string; phase: ActionPhase }>;
  /** The chat has ended, or could not be loaded. Not sent for a missing or invalid `url`. */
  "leptos-assistant-end": CustomEvent<undefined>;
  /**
   * The chat shows an error; or, with `error`, the element could not mount a chat, register an action, or use an
   * attribute, which its message names. The latter is also reported as an error of the page, unless `preventDefault` is
   * called.
   */
  "leptos-assistant-error": CustomEvent<{ message: string; error?: Error }>;
}

declare global {
  interface HTMLElementTagNameMap {
    "leptos-assistant": LeptosAssistantElement;
  }
  interface HTMLElementEventMap extends LeptosAssistantEvents {}
}
