/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A piece of code and the classes it gets, separated by spaces. */
export type Token = [text: string, classes: string];

/**
 * Finds the tokens of a finished block of code. Joined they must equal the code; otherwise, and on `[]`, it stays
 * plain.
 */
export type Highlight = (code: string, language: string) => Token[] | Promise<Token[]>;

export interface MountOptions {
  /** The address of the AG-UI agent. `leptos-assistant/full` supports other protocols, too. */
  url: string;
  /** Headers to send with every request. Names and values must be valid in a request: values of Latin-1 characters. */
  headers?: Record<string, string>;
  /** The visible and accessible name of the chat; two on one page need names that differ. "Assistant" by default. */
  label?: string;
  /** The line before the first message; an empty one is none. "How can I help?" by default. */
  greeting?: string;
  /** Highlights finished blocks of code; `highlight-js.js` has a highlighter that uses highlight.js. */
  highlight?: Highlight;
  /** The number of levels by which headings of answers are lowered; 2 by default, so that the first is an `h3`. */
  headingOffset?: number;
  /** Origins that images and other media of answers may be fetched from, as in `https://media.example.com`; none by default. */
  mediaOrigins?: string[];
  /** Lets the user attach files; without it the composer accepts none. */
  attachments?: AttachmentLimits;
  /** Texts of the package itself; the default of each is English. */
  labels?: Labels;
}

export interface Labels {
  /** The title of the notice that the chat has stopped: "The chat has stopped". */
  stopped?: string;
  /** The instruction below it: "Something went wrong on this page. Load it again to go on." */
  stoppedText?: string;
  /** The text of its link: "Reload the page". */
  reload?: string;
}

export interface AttachmentLimits {
  /** The accepted file types, as for an input's `accept`: `image/*,.pdf`. Any by default. */
  accept?: string;
  /** The maximum number of files with one message; 10 by default. */
  maxFiles?: number;
  /** The maximum size of a file in bytes; 10,000,000 by default. */
  maxBytes?: number;
}

export interface ActionDefinition<Args = any> {
  /** A unique name: letters, digits, `_`, `-`, `.`; at most 128. */
  name: string;
  /** The description for the model. */
  description?: string;
  /** JSON Schema of the arguments; without it there are none. */
  parameters?: object;
  /**
   * The handler, called with validated arguments. The agent is sent the message of an error that it throws; a result
   * that is not JSON, or longer than ten million characters of it, counts as an error too.
   */
  handler?: (args: Args) => Json | void | Promise<Json | void>;
  /** Asks the user each time before the handler runs. */
  requiresApproval?: boolean;
  /**
   * The representation of integers beyond ±9,007,199,254,740,991, which a JavaScript `number` would round (64-bit ids,
   * for example): `"refuse"`, the default, does not run the handler and asks the agent to send them as strings;
   * `"bigint"` passes a `BigInt`, `"string"` the digits, both exactly as the user saw them. All other numbers are plain
   * numbers.
   */
  numbers?: "refuse" | "bigint" | "string";
}

/**
 * A mounted chat. After an internal error it stops for good, and shows so; only a reload helps then. All methods but
 * `unmount` throw then, and after the chat has been unmounted.
 */
export interface Chat {
  /**
   * Registers an action. Returns a function that removes it. Throws on a name that providers refuse, and a `TypeError`
   * on a field that does not exist or has the wrong type: an ignored misspelt `requiresApproval` would run without
   * approval.
   */
  registerAction<Args = any>(action: ActionDefinition<Args>): () => void;
  /** Sends a message to the agent. Throws while a run is active. */
  send(text: string): void;
  /** Starts another conversation. */
  newConversation(): void;
  /** Removes the chat from the page and ends everything that runs. A second call does nothing. */
  unmount(): void;
}

/**
 * Mounts a chat in an element, which must have a height. Link `style.css` for its styles. Rejects when a chat of the
 * page has stopped, and with a `TypeError` when the target is not an element, or an option does not exist or is not
 * valid.
 */
export function mount(element: HTMLElement, options: MountOptions): Promise<Chat>;
