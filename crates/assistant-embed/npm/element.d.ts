import type { MountOptions } from "./full.js";
import type { ActionDefinition, Chat } from "./index.js";

/**
 * The chat as an element, `<leptos-assistant>`, once this file is imported. It must have a height; what stands in it goes when the chat comes. Link
 * `style.css` for its looks.
 *
 * Attributes are the options of `mount` that are texts or numbers: `url`, `label`, `heading-offset`, and with the larger module, which is
 * taken when one of them asks for it, `protocol`, `model`, `resumes`, `store`, `store-name`, `thread-id`. They are read when the
 * chat is made; what is set later counts for the next one, after the element was taken out and put in again.
 *
 * With `loading="lazy"` nothing but this file is fetched until the element can be seen: one that is `hidden` until a button is
 * pressed costs next to nothing before.
 *
 * The event `ready` says that the chat is there. `error` says why it is not, or which action could not be registered; what nobody
 * keeps from it by `preventDefault` is reported as an error of the page.
 */
export class LeptosAssistantElement extends HTMLElement {
  /** Options of `mount` that are no texts: `headers`, `highlight`, `attachments` and others. Attributes go first. */
  options: Partial<MountOptions>;
  /** The chat, from `ready` until the element is taken out. */
  readonly chat: Chat | undefined;
  /**
   * Registers an action with every chat that the element makes, now or later; the function it returns takes it back. Throws on a
   * name that providers refuse if the chat is there; otherwise `error` says so.
   */
  registerAction<Args = any>(action: ActionDefinition<Args>): () => void;
}

declare global {
  interface HTMLElementTagNameMap {
    "leptos-assistant": LeptosAssistantElement;
  }
}
