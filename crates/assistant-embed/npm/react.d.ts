import type { CSSProperties, ReactElement, ReactNode } from "react";
import type { ChatState, Json } from "./index.js";
import type { AssistantChat, AssistantOptions, CallOfCard, DrawnAction, EventDetail } from "./scope.js";

export type { AssistantChat, AssistantOptions, CallOfCard };

export type AssistantProps = AssistantOptions & {
  id?: string;
  className?: string;
  style?: CSSProperties;
  /** Attributes of the element. */
  [attribute: `data-${string}` | `aria-${string}`]: string | number | boolean | undefined;
  /** Content below the header of the window. The window has places for the content that is given when it is mounted. */
  header?: ReactNode;
  /** Content before the first message, instead of the greeting. */
  empty?: ReactNode;
  /** Content below the composer. */
  footer?: ReactNode;
  /**
   * Called with each chat once it is mounted; if `<Activity>` hides the component meanwhile, once it is shown again. The
   * chat is a `FullChat` if `<Assistant>` has a store, or another protocol than AG-UI.
   */
  onReady?: (chat: AssistantChat) => void;
  onOpen?: (isOpen: boolean) => void;
  onMessage?: (event: EventDetail<"message">) => void;
  onApproval?: (event: EventDetail<"approval">) => void;
  onAction?: (event: EventDetail<"action">) => void;
  onError?: (event: EventDetail<"error">) => void;
};

/**
 * The chat, as `<leptos-assistant>`. Removing the component ends the chat; one removed while `<Activity>` hides it ends a
 * minute later. While `<Suspense>` shows its fallback, the chat and running actions continue. Cards are drawn in its
 * tree: they have the contexts that it has.
 */
export function Assistant(props: AssistantProps): ReactElement | null;

/** Separates the chats and hooks below it from those of the rest of the page, which belong together otherwise. */
export function AssistantScope(props: { children?: ReactNode }): ReactElement;

/** An action whose cards are components. */
export type ReactAction<Args = any> = DrawnAction<Args, ReactNode>;

/**
 * Registers an action while the component is mounted. The newest functions are called. A change of another field, or
 * with `deps` a change of one of these, registers it again; a running call is stopped then, as if the component had
 * been removed. An action that the chat refuses is reported as an error of the page.
 */
export function useAssistantAction<Args = any>(action: ReactAction<Args>, deps?: readonly unknown[]): void;

/** Provides context to the agent while the component is mounted: the newest value, read when a run opens. */
export function useAssistantContext(description: string, value: Json | (() => Json)): void;

/**
 * Returns the chat once it is mounted; of several, the one mounted last. It is a `FullChat` if `<Assistant>` has a store,
 * or another protocol than AG-UI.
 */
export function useAssistant(): AssistantChat | undefined;

/** Returns a part of the state of the chat that `useAssistant` returns, and follows it; `undefined` without a chat. */
export function useAssistantState<Name extends keyof ChatState>(name: Name): ChatState[Name] | undefined;
