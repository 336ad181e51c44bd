/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A piece of code and the classes it gets, separated by spaces. */
export type Token = [text: string, classes: string];

/** Finds the tokens of a finished block of code. Joined they must be the code, or it stays as it is; so does it on `[]`. */
export type Highlight = (code: string, language: string) => Token[] | Promise<Token[]>;

export interface MountOptions {
  /** Where the AG-UI agent listens. `leptos-assistant/full` speaks other protocols, too. */
  url: string;
  /** Headers to send with every request. Names and values as a request can carry them: values of Latin-1 characters. */
  headers?: Record<string, string>;
  /** What the chat is called, to eyes and ears; two on one page need names that differ. "Assistant" by default. */
  label?: string;
  /** Gives finished blocks of code their colours; `highlight-js.js` has one by highlight.js. */
  highlight?: Highlight;
  /** By how many levels headings of answers go down in the page's outline; 2 by default, so that the first is an `h3`. */
  headingOffset?: number;
  /** Origins that images and other media of answers may be fetched from, as in `https://media.example.com`; none by default. */
  mediaOrigins?: string[];
  /** Lets the person send files along; without it the composer takes none. */
  attachments?: AttachmentLimits;
  /** Words for what the package itself says, each in English where it is missing. */
  labels?: Labels;
}

export interface Labels {
  /** The title of what is shown when the chat has stopped: "The chat has stopped". */
  stopped?: string;
  /** What to do then: "Something went wrong on this page. Load it again to go on." */
  stoppedText?: string;
  /** On the link that does it: "Reload the page". */
  reload?: string;
}

export interface AttachmentLimits {
  /** Which files, as for an input's `accept`: `image/*,.pdf`. Any by default. */
  accept?: string;
  /** How many with one message; 10 by default. */
  maxFiles?: number;
  /** How many bytes one may have; 10,000,000 by default. */
  maxBytes?: number;
}

export interface ActionDefinition<Args = any> {
  /** Unique: letters, digits, `_`, `-`, `.`; at most 128. */
  name: string;
  /** What it does, for the model. */
  description?: string;
  /** JSON Schema of the arguments; without it there are none. */
  parameters?: object;
  /**
   * What runs, with validated arguments. What it throws is told to the agent; a result that is no JSON, or more than ten
   * million characters of it, counts as an error too.
   */
  handler?: (args: Args) => Json | void | Promise<Json | void>;
  /** Whether the user is asked each time before it runs. */
  requiresApproval?: boolean;
  /**
   * How the handler gets integers beyond ±9,007,199,254,740,991, which a JavaScript `number` would round (64-bit ids, for example):
   * `"refuse"`, the default, runs nothing and tells the agent to send them as texts; `"bigint"` passes a `BigInt`, `"string"` the
   * digits, both exactly as the user saw them. All other numbers are plain numbers.
   */
  numbers?: "refuse" | "bigint" | "string";
}

/**
 * A chat in the page. It stops for good, and says so, if something goes wrong inside of it; only a reload helps then. All
 * but `unmount` throw then, and when the chat has been taken out of the page.
 */
export interface Chat {
  /**
   * Registers an action; the function it returns takes it back. Throws on a name that providers refuse, and a `TypeError` on a
   * field that does not exist or has the wrong type: a misspelt `requiresApproval` would otherwise ask nobody.
   */
  registerAction<Args = any>(action: ActionDefinition<Args>): () => void;
  /** Says something to the agent. Throws while something is under way. */
  send(text: string): void;
  /** Begins another conversation. */
  newConversation(): void;
  /** Takes the chat out of the page; everything that runs ends. A second time does nothing. */
  unmount(): void;
}

/**
 * Puts a chat into an element, which must have a height. Link `style.css` for its looks. Rejects when a chat of the page
 * has stopped, and with a `TypeError` when the element is none, or an option does not exist or cannot be used.
 */
export function mount(element: HTMLElement, options: MountOptions): Promise<Chat>;
