import type { Chat, Json, MountOptions as SmallOptions, PageAgentOptions } from "./index.js";

export * from "./index.js";

/** Options that only the larger module supports. */
interface SharedOptions extends SmallOptions {
  /**
   * The storage for conversations: `"indexeddb"` stores them in the browser, and a reloaded page continues its
   * conversation. Without it they are lost with the page.
   */
  store?: "indexeddb";
  /**
   * The name of the database; `"leptos-assistant"` by default. Two chats on one site that share no conversations need
   * names that differ.
   */
  storeName?: string;
  /** The conversation to continue; by default the previous one of this tab. Only with `store`. */
  threadId?: string;
}

/** An agent that speaks AG-UI, as in `leptos-assistant`. */
export interface AgUiOptions extends SharedOptions {
  protocol?: "ag-ui";
}

/** A backend of the AI SDK: any server that answers with its UI message stream. */
export interface UiStreamOptions extends Omit<SharedOptions, "reattach"> {
  protocol: "ui-stream";
  /**
   * Set if the backend stores its streams and answers `GET {url}/{chat}/stream`: Retry then resumes an answer that the
   * network cut.
   */
  resumes?: boolean;
}

/** A model endpoint that speaks OpenAI's chat completions. The loop of calls and results runs in the page. */
export interface CompletionsOptions extends Omit<SharedOptions, "reattach"> {
  protocol: "completions";
  /** The address before `/chat/completions`. A key in a page is public: use a server of yours as a proxy. */
  url: string;
  /** The model; without it the endpoint chooses. */
  model?: string;
}

export type MountOptions = AgUiOptions | UiStreamOptions | CompletionsOptions;

/** The options of a chat with an agent in the page, and a store. */
export type StoredPageAgentOptions = PageAgentOptions & Pick<SharedOptions, "store" | "storeName" | "threadId">;

/** A chat with records of its messages and calls, for systems that keep them or run the loop of calls themselves. */
export interface FullChat extends Chat {
  /**
   * Calls back with a record when a message is complete or changes, and when a call becomes pending, is executed or ends.
   * Streaming text is not recorded.
   */
  onUpdate(listener: (update: { [field: string]: Json }) => void): () => void;
  /**
   * Applies a record from a server that runs the loop itself; nothing runs in this page. Records may arrive in any order,
   * twice, or not at all. Throws while a run is active, and for a record of another conversation.
   */
  applyUpdate(update: { [field: string]: Json }): void;
}

/**
 * Mounts a chat in an element, as `mount` of `leptos-assistant` does, with an agent of any protocol and a store. A page
 * uses one of both: each has its own module.
 */
export function mount(element: HTMLElement, options: MountOptions | StoredPageAgentOptions): Promise<FullChat>;
