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
  /** Called with each event of the chat from now on; what it throws is reported as an error of the page. */
  onEvent?: (event: ChatEvent) => void;
}

/** An event of a chat. The contents of a conversation that is opened are none. */
export type ChatEvent =
  /** A message is complete: the user's, or the agent's once its text has ended. */
  | { type: "message"; id: string; role: string }
  /** The user is asked to approve a call. */
  | { type: "approval"; id: string; name: string }
  /** The agent, or an action, asks the user something else. */
  | { type: "question" }
  /** A call of an action, or of a tool of the agent, runs or has ended. */
  | { type: "action"; id: string; name: string; phase: ActionPhase }
  /** An error that the chat shows. */
  | { type: "error"; message: string };

/** The phase of a call that runs or has ended. */
export type ActionPhase = "running" | "output-available" | "output-error" | "output-denied" | "skipped" | "cancelled";

/** The options that a chat takes over while it is shown. A missing one is left alone, `undefined` is the default. */
export interface LiveOptions extends Pick<MountOptions, "url" | "headers" | "label" | "greeting"> {
  /** The model of chat completions, with `leptos-assistant/full`. */
  model?: string;
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

/** The description of a call for its approval. */
export interface Description {
  /** The sentence that asks. */
  sentence: string;
  /** Pairs of a name and a value. */
  rows?: (readonly [name: string, value: string | number | boolean])[];
}

/** Limits of the calls of an action; one above them is answered with an error, and the user is not asked about it. */
export interface CallLimits {
  /** The maximum number of starts in a time window, and its length in milliseconds. */
  calls?: [count: number, milliseconds: number];
  /** The maximum number of calls that run at the same time. */
  concurrent?: number;
  /** The maximum number of calls in one run of the agent. */
  perRun?: number;
}

/** The content of a dialog. */
export interface ConfirmOptions {
  /** The question. */
  title: string;
  /** The text that explains the consequences. */
  text?: string;
  /** True if confirming cannot be undone. */
  danger?: boolean;
}

/**
 * The running call, for its handler. What a handler has begun by it ends with the handler; later calls of its methods
 * have no effect, or reject.
 */
export interface ToolContext {
  /** The id that the agent gave the call. */
  readonly callId: string;
  /** The key of the call in the conversation; unlike the id it is unique. */
  readonly call: number;
  /** The message that made the call; `null` if the page called the action itself. */
  readonly messageId: string | null;
  /** The message before that one. */
  readonly parentMessageId: string | null;
  /** The id of the chat in this page. */
  readonly clientId: string | null;
  /** The number of runs between the last message of the user and the one that made the call. */
  readonly iteration: number;
  /**
   * Aborted when the result is no longer wanted: by Stop, a timeout, or because the action or the chat was removed. Not
   * aborted when the handler ends by itself.
   */
  readonly signal: AbortSignal;
  /** Reports progress: a fraction from 0 to 1, a text, or both. */
  progress(fraction?: number | null, text?: string): void;
  /** Shows a preliminary result, which is never sent. */
  preliminary(value: Json): void;
  /** Ends the loop after this call: the result is sent with the next message of the user. */
  stopLoop(): void;
  /**
   * Calls another action of the page as an agent does: with validated arguments, its limits, the user's approval where
   * it is required, and its handler. Rejects with the error of the call.
   */
  execute(name: string, args?: { [key: string]: Json }): Promise<Json>;
  /** Asks the user through the renderer of the call; rejects if nothing renders it. */
  ask(question: Json): Promise<Json>;
  /** Asks the user for a value described by a JSON Schema; without a renderer the card shows a form. */
  askWith(question: Json, schema: object): Promise<Json>;
  /** Asks the user in a dialog with Confirm and Cancel. Closing it counts as Cancel. */
  confirm(options: ConfirmOptions): Promise<boolean>;
  /** Waits until an action can be called, for handlers that change the page; rejects after five seconds. */
  untilRegistered(name: string): Promise<void>;
}

/**
 * An action. Its functions get the arguments of a call, as a copy; `docs` in the guide ("Any page") says how values
 * cross. A function that throws, or returns something else than it should, is reported in the console, and never makes
 * an approval unnecessary.
 */
export interface ActionDefinition<Args = any> {
  /** A unique name: letters, digits, `_`, `-`, `.`; at most 128. */
  name: string;
  /** The description for the model: a text, or a function that is called when a run opens. */
  description?: string | (() => string);
  /**
   * JSON Schema of the arguments, or a function that is called for it when a run opens; without it there are no
   * arguments.
   */
  parameters?: object | (() => object);
  /**
   * Offers and starts the action only while this is true. A function is called when a run opens; the action is not
   * offered if it fails.
   */
  enabled?: boolean | (() => boolean);
  /**
   * The handler, called with validated arguments. The agent is sent the message of an error that it throws; a result
   * that is not JSON, or longer than ten million characters of it, counts as an error too.
   */
  handler?: (args: Args, context: ToolContext) => Json | void | Promise<Json | void>;
  /**
   * The rule for when the user must approve a call: `"never"`, the default, `"always"`, or a function of the arguments
   * that returns true if approval is needed. The user is asked unless it returns `false` within ten seconds.
   */
  approval?: "always" | "never" | ((args: Args) => boolean | Promise<boolean>);
  /** Allows only the user to approve, not the page. */
  onlyUserApproves?: boolean;
  /** Requires approval each time: an approval cannot be remembered. */
  alwaysAsk?: boolean;
  /**
   * Limits remembered approvals to calls in which these arguments are the same; an empty list, to calls with the same
   * arguments.
   */
  rememberFor?: string[];
  /** Limits remembered approvals to a number of later calls. */
  rememberUses?: number;
  /** Limits the duration of remembered approvals, in milliseconds. */
  rememberLasts?: number;
  /** Limits remembered approvals to calls in which arguments, named by JSON Pointers, are at most these numbers. */
  rememberUpTo?: { [pointer: string]: number };
  /** Returns the result that the agent receives for a denied call. */
  denial?: (args: Args, reason?: string) => Json;
  /** A title for the user: "Look up the weather". The model does not receive it. */
  title?: string;
  /** The title of a running call: "Looking up the weather". */
  titleWhileRunning?: string;
  /**
   * Returns the text of the approval card: a sentence, or a sentence with rows. Arguments that it does not mention are
   * shown below it. If it fails, the arguments are shown.
   */
  describe?: (args: Args) => string | Description;
  /** The risk of a call: colour and wording of its card. `"attention"` by default. */
  risk?: "plain" | "attention" | "danger";
  /**
   * The permission rule, evaluated right before a call starts, after approval. Only `true` permits it; a text is the
   * reason for a refusal. A rule that throws, or does not answer within ten seconds, refuses.
   */
  permission?: (args: Args) => boolean | string | Promise<boolean | string>;
  /** Limits how often the action may start. */
  limits?: CallLimits;
  /** Returns sanitized arguments, which are then validated, shown, approved and run. If it fails they are `null`. */
  sanitize?: (args: any) => Json;
  /**
   * Returns the change that a call would make, without making it: a sentence, or a value that is shown as JSON. It is
   * computed again after the approval: if it differs by then, nothing runs.
   */
  preview?: (args: Args) => Json | Promise<Json>;
  /** Only renders calls that the agent runs itself. */
  renderOnly?: boolean;
  /** Leaves execution to the agent, which is sent the user's decision. */
  runByAgent?: boolean;
  /** Prevents the action from running at the same time as another one. */
  exclusive?: boolean;
  /** Runs the action as soon as its arguments are complete, before the run is over. Only for cheap, idempotent reads. */
  eager?: boolean;
  /** Marks the action as safe to run twice, after a reload while it ran. */
  idempotent?: boolean;
  /** Keeps running handlers alive when the action is removed. */
  detached?: boolean;
  /** Limits the duration of the handler, in milliseconds. */
  timeoutMs?: number;
  /** Tags by which a filter selects the action; the agent does not receive them. */
  tags?: string[];
  /** Offers the action regardless of the filter. */
  alwaysOffered?: boolean;
  /** The version of the action. A stored call of another version needs approval before it runs. */
  version?: string;
  /** Sends string results as they are, instead of quoted. */
  textResult?: boolean;
  /** Disables validation of the arguments, which the handler must validate. */
  unchecked?: boolean;
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
   * on a field that does not exist or has the wrong type: an ignored misspelt `approval` would run without approval.
   */
  registerAction<Args = any>(action: ActionDefinition<Args>): () => void;
  /** Sends a message to the agent. Throws while a run is active. */
  send(text: string): void;
  /**
   * Changes options while the chat is shown: nothing is mounted again, and the conversation continues. An agent is
   * replaced from the next run on.
   */
  update(changes: Partial<LiveOptions>): void;
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
