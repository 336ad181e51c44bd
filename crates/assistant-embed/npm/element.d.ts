import type { MountOptions } from "./full.js";
import type { ActionDefinition, Chat } from "./index.js";

/**
 * The chat as an element, `<leptos-assistant>`, defined by importing this file. It must have a height; its content is
 * replaced by the chat. Link `style.css` for its styles.
 *
 * Attributes are the options of `mount` that are strings or numbers: `url`, `label`, `greeting`, `heading-offset`, and
 * with the larger module, which is loaded when one of them needs it, `protocol`, `model`, `resumes`, `store`, `store-name`,
 * `thread-id`. They are read when the chat is created; later changes count for the next one, after the element was
 * removed and added again.
 *
 * With `loading="lazy"` only this file is fetched until the element is visible: one that is `hidden` until a button is
 * pressed costs next to nothing before.
 *
 * The event `ready` is sent when the chat is mounted. `error` gives the reason why it is not, or which action could not
 * be registered; unless `preventDefault` is called, it is also reported as an error of the page.
 */
export class LeptosAssistantElement extends HTMLElement {
  /**
   * Options of `mount` that are not strings: `headers`, `highlight`, `attachments` and others. Attributes take
   * precedence.
   */
  options: Partial<MountOptions>;
  /** The chat, from `ready` until the element is removed. */
  readonly chat: Chat | undefined;
  /**
   * Registers an action with every chat that the element creates, now or later. Returns a function that removes it.
   * Throws on a name that providers refuse if the chat is mounted; otherwise `error` reports it.
   */
  registerAction<Args = any>(action: ActionDefinition<Args>): () => void;
}

declare global {
  interface HTMLElementTagNameMap {
    "leptos-assistant": LeptosAssistantElement;
  }
}
