import type { DefineComponent, MaybeRefOrGetter, ShallowRef, VNodeChild } from "vue";
import type { ChatState, Json } from "./index.js";
import type { AssistantChat, AssistantOptions, CallOfCard, DrawnAction, EventDetail } from "./scope.js";

export type { AssistantChat, AssistantOptions, CallOfCard };

/** The events of the component. */
export type AssistantEmits = {
  /** A chat is mounted. It is a `FullChat` if `<Assistant>` has a store, or another protocol than AG-UI. */
  ready: (chat: AssistantChat) => void;
  open: (isOpen: boolean) => void;
  "update:open": (isOpen: boolean) => void;
  message: (event: EventDetail<"message">) => void;
  approval: (event: EventDetail<"approval">) => void;
  action: (event: EventDetail<"action">) => void;
  error: (event: EventDetail<"error">) => void;
};

/** Content of the window; it has places for the slots that are given when it is mounted. */
export interface AssistantSlots {
  /** Below the header. */
  header?: () => VNodeChild;
  /** Before the first message, instead of the greeting. */
  empty?: () => VNodeChild;
  /** Below the composer. */
  footer?: () => VNodeChild;
}

/**
 * The chat, as `<leptos-assistant>`. Removing the component ends the chat; inside of `<KeepAlive>` it is kept for a
 * minute. Cards are drawn in its tree: what is provided to it is provided to them.
 */
export const Assistant: DefineComponent<AssistantOptions, {}, {}, {}, {}, {}, {}, AssistantEmits> & (new () => { $slots: AssistantSlots });

/** Separates the chats and composables below a component from those of the rest of the page. */
export function provideAssistantScope(): void;

/** An action whose cards are nodes: `render: (call) => h(Card, { call })`. */
export type VueAction<Args = any> = DrawnAction<Args, VNodeChild>;

/**
 * Registers an action while the component is mounted and active. Functions of a getter's or ref's action are the newest
 * ones at each call; other changes register it again, which stops a call that runs. An action that the chat refuses is
 * reported as an error of the page.
 */
export function useAssistantAction<Args = any>(action: MaybeRefOrGetter<VueAction<Args>>): void;

/** Provides context to the agent while the component is mounted and active: the value when a run opens. */
export function useAssistantContext(description: MaybeRefOrGetter<string>, value: MaybeRefOrGetter<Json>): void;

/**
 * Returns the chat once it is mounted; of several, the one mounted last. It is a `FullChat` if `<Assistant>` has a store,
 * or another protocol than AG-UI.
 */
export function useAssistant(): Readonly<ShallowRef<AssistantChat | undefined>>;

/** Returns a part of the state of the chat that `useAssistant` returns, and follows it; `undefined` without a chat. */
export function useAssistantState<Name extends keyof ChatState>(
  name: MaybeRefOrGetter<Name>,
): Readonly<ShallowRef<ChatState[Name] | undefined>>;
