import type { LeptosAssistantEvents } from "./element.js";
import type { FullChat, MountOptions as FullOptions, StoredPageAgentOptions } from "./full.js";
import type { ActionDefinition, Chat, DrawnCall, ToolCallView } from "./index.js";

/** The detail of an event of the element. */
export type EventDetail<Kind extends "message" | "approval" | "action" | "error"> =
  LeptosAssistantEvents[`leptos-assistant-${Kind}`]["detail"];

/** The attributes of the element that are properties of the component. */
export interface ElementOptions {
  /** `"inline"` by default, which needs a height. */
  layout?: "inline" | "popup" | "sidebar";
  /** The time of loading: `"eager"` by default if inline, otherwise `"intent"`. */
  loading?: "eager" | "idle" | "visible" | "intent";
  /** The key that opens and closes a popup or sidebar, such as `Alt+Shift+A` or `Mod+J`. */
  shortcut?: string;
  /** Opens or closes when it changes. The user opens and closes a popup or sidebar, too. */
  open?: boolean;
  /** Draws the chat in a shadow root; read when the component is mounted. */
  shadow?: boolean;
}

/** The chat of a component. A `FullChat` if `<Assistant>` has a store, or another protocol than AG-UI. */
export type AssistantChat = Chat | FullChat;

type Without<Options, Names extends PropertyKey> = Options extends unknown ? Omit<Options, Names> : never;

/**
 * The options of `mount`, and the attributes of the element. `url`, `headers`, `credentials`, `model`, `label`,
 * `greeting`, `lang` and `labels` change the chat that is shown; a change of any other option begins another
 * chat. Functions may differ in each rendering: the newest is called.
 */
export type AssistantOptions = Without<FullOptions | StoredPageAgentOptions, "onEvent"> & ElementOptions;

/** The state of a call, and the decisions that its card may take. */
export type CallOfCard = DrawnCall & Omit<ToolCallView, "current" | "subscribe">;

/** An action whose cards are drawn by `Node`s of a framework. */
export interface DrawnAction<Args, Node> extends Omit<ActionDefinition<Args>, "render" | "renderApproval"> {
  /** Draws the calls; called for each state of a call. If it throws, the card is empty. */
  render?: (call: CallOfCard) => Node;
  /**
   * Draws the approval of a call. If it throws or draws nothing, the built-in view asks after a second. An approval
   * counts only once it was visible to its end (`canApprove`), and only within the listener of an event of the user.
   */
  renderApproval?: (call: CallOfCard) => Node;
}
