import type { Chat, MountOptions as SmallOptions } from "./index.js";

export * from "./index.js";

/** What the small module has no room for. */
interface SharedOptions extends SmallOptions {
  /**
   * Where conversations are kept beyond the page: `"indexeddb"` keeps them in the browser, and a page that is loaded again
   * goes on with its conversation. Without it nothing is kept.
   */
  store?: "indexeddb";
  /** The database for that; `"leptos-assistant"` by default. Two chats on one site that share no conversations need names that differ. */
  storeName?: string;
  /** Which conversation to go on with; the one that this tab had before by default. Only with `store`. */
  threadId?: string;
}

/** An agent that speaks AG-UI, as in `leptos-assistant`. */
export interface AgUiOptions extends SharedOptions {
  protocol?: "ag-ui";
}

/** A backend of the AI SDK: anything that answers with its UI message stream. */
export interface UiStreamOptions extends SharedOptions {
  protocol: "ui-stream";
  /** The backend keeps its streams and answers `GET {url}/{chat}/stream`: an answer that the network cut is read on with Retry. */
  resumes?: boolean;
}

/** A model endpoint that speaks OpenAI's chat completions. The loop of calls and results runs in the page. */
export interface CompletionsOptions extends SharedOptions {
  protocol: "completions";
  /** The address before `/chat/completions`. A key in a page is everybody's key: put a server of yours in between. */
  url: string;
  /** The model; without it the endpoint chooses. */
  model?: string;
}

export type MountOptions = AgUiOptions | UiStreamOptions | CompletionsOptions;

/**
 * Puts a chat into an element, as `mount` of `leptos-assistant` does, with an agent of any protocol and a store. A page uses one of both:
 * each has a module of its own.
 */
export function mount(element: HTMLElement, options: MountOptions): Promise<Chat>;
