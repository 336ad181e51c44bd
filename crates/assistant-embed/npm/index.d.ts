import type { LabelName } from "./labels/names.js";

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A piece of code and the classes it gets, separated by spaces. */
export type Token = [text: string, classes: string];

/**
 * Finds the tokens of a finished block of code. Joined they must equal the code; otherwise, and on `[]`, it stays
 * plain.
 */
export type Highlight = (code: string, language: string) => Token[] | Promise<Token[]>;

/** The headers of a request: an object, or what a request of the browser takes. */
export type RequestHeaders = Record<string, string | null | undefined> | Headers | Iterable<readonly [string, string]>;

/** The request that headers are needed for. */
export interface HeaderRequest {
  /** True if the agent has just answered the same request with HTTP 401. */
  readonly refused: boolean;
}

export interface MountOptions {
  /** The address of the AG-UI agent. `leptos-assistant/full` supports other protocols, too. */
  url: string;
  /** An agent in the page instead of one at an address. */
  agent?: undefined;
  /**
   * Headers to send with every request: an object, or a function that is called for each request. If the agent answers
   * with HTTP 401, the function is called once more, with `refused` true, and the request is repeated. It must answer
   * within ten seconds; if it fails, nothing is sent, and the chat shows why. With `reattach`, requests that read or end
   * a run are repeated instead. Names and values must be valid in a request: values of Latin-1 characters. A header
   * without a value is left out.
   */
  headers?: RequestHeaders | ((request: HeaderRequest) => RequestHeaders | Promise<RequestHeaders>);
  /** The credentials of the browser that requests carry; `"same-origin"` by default. */
  credentials?: "omit" | "same-origin" | "include";
  /**
   * The address at which a server stores the events of the agent's runs: a run then survives a lost connection, and with
   * a `store` also a reload. `GET {reattach}/{thread}/{run}` returns the events, after the one in `Last-Event-ID` if that
   * is sent, and `DELETE` ends the run.
   */
  reattach?: string;
  /** The visible and accessible name of the chat; two on one page need names that differ. "Assistant" by default. */
  label?: string;
  /** The line before the first message; an empty text removes it. "How can I help?" by default. */
  greeting?: string;
  /**
   * Highlights finished blocks of code of at most 64 KiB and 10,000 tokens; `highlight-js.js` has a highlighter that uses
   * highlight.js.
   */
  highlight?: Highlight;
  /** The number of levels by which headings of answers are lowered; 2 by default, so that the first is an `h3`. */
  headingOffset?: number;
  /** Origins that images and other media of answers may be fetched from, as in `https://media.example.com`; none by default. */
  mediaOrigins?: string[];
  /** Lets the user attach files; without it the composer accepts none. */
  attachments?: AttachmentLimits;
  /** The initial conversation: the output of {@link Chat.export}, or AG-UI messages. A stored one takes precedence. */
  initial?: Json;
  /** The options of the loop. */
  options?: SessionOptions;
  /** The limits on what agents send. */
  limits?: Partial<Limits>;
  /**
   * The language of the labels: English, or `ar`, `de`, `es`, `fr`, `ja`, `pt`, `zh` (simplified; Chinese in traditional
   * characters, such as `zh-TW`, is English), each also with a region; others are English. It also selects the plural
   * forms of own labels. Its file is fetched with the program. The element of the chat should have the same `lang`.
   */
  lang?: string;
  /** Texts that replace those of the language. */
  labels?: Labels;
  /** Nodes of the page inside of the window; they are moved there, and out of it when the chat is unmounted. */
  slots?: Slots;
  /**
   * Attaches an open shadow root to the element, and draws the chat there: styles of the page do not reach it, apart from
   * `::part`. The package's sheet is fetched, and the page links none. Slots are children of the element then.
   */
  shadow?: boolean;
  /**
   * Called with each event that the user sees, from now on; what it throws is reported as an error of the page.
   * {@link Chat.onEvent} has the events of the conversation, with the keys of calls.
   */
  onEvent?: (event: ChatEvent) => void;
}

/** The places of a window for nodes of the page. */
export interface Slots {
  /** Below the header. */
  header?: HTMLElement;
  /** Before the first message, instead of the greeting. */
  empty?: HTMLElement;
  /** Below the composer. */
  footer?: HTMLElement;
}

/**
 * An event of a chat as the user sees it, for the option `onEvent`; the element dispatches the same, except for
 * `question`. Calls are named by their keys, which methods of a chat take. Opening a conversation causes no event.
 */
export type ChatEvent =
  /** A message is complete: the user's, or the agent's once its text has ended. */
  | { type: "message"; id: string; role: string }
  /** The user is asked to approve a call. */
  | { type: "approval"; id: number; name: string }
  /** The agent, or an action, asks the user something else. */
  | { type: "question" }
  /** A call of an action, or of a tool of the agent, runs or has ended. */
  | { type: "action"; id: number; name: string; phase: ActionPhase }
  /** An error that the chat shows. */
  | { type: "error"; message: string };

/** The phase of a call that runs or has ended. */
export type ActionPhase = "running" | "output-available" | "output-error" | "output-denied" | "skipped" | "cancelled";

/** The limits on what agents send: bytes, or numbers of items. What exceeds one is refused, and the chat says so. */
export interface Limits {
  runBytes: number;
  eventBytes: number;
  messageBytes: number;
  argumentBytes: number;
  idBytes: number;
  nameBytes: number;
  stateBytes: number;
  activityBytes: number;
  patchCopiedBytes: number;
  patchShiftedValues: number;
  messages: number;
  calls: number;
  interrupts: number;
  choices: number;
  notices: number;
  diagnostics: number;
  sideEventBytes: number;
}

/** A condition that ends the loop of runs and tool results. */
export type StopCondition =
  | { runCount: number }
  | { hasToolCall: string }
  | { repeatedCalls: number }
  /** The name of a rule ({@link Chat.setStopRule}). */
  | { rule: string }
  | { any: StopCondition[] }
  | { all: StopCondition[] };

export interface SessionOptions {
  /** `{ runCount: 10 }` by default. */
  stopWhen?: StopCondition;
  /** Runs one call after the other. */
  sequential?: boolean;
  /** Runs calls as soon as their arguments are complete. */
  eager?: boolean;
  /** Denies open requests when the user sends a message. */
  autoDeny?: boolean;
  /** Lets the user approve later calls; true by default. */
  rememberApprovals?: boolean;
  /** Lets the user send messages during the loop; true by default. */
  interjections?: boolean;
  /** Sends each branch, and what follows a deletion, under a thread id of its own, for servers that keep the history of a thread. */
  forkThread?: boolean;
  /** The maximum number of requests to the user: 20 in a run and 30 in a minute by default; `null` is no limit. */
  questions?: { perRun?: number | null; perMinute?: number | null };
  /**
   * The treatment of queued messages when the user stops the assistant; `"keep"` by default: they appear in the chat and
   * are sent with the next request.
   */
  leftovers?: "keep" | "drop" | "send";
}

/** The input of a run, as AG-UI defines it. */
export interface RunInput {
  threadId: string;
  runId: string;
  state: any;
  messages: any[];
  tools: any[];
  context: { description: string; value: string }[];
  forwardedProps: any;
  [field: string]: any;
}

/**
 * An agent in the page: takes the input of a run, and returns AG-UI events as an iterable, for example an async
 * generator. `signal` is aborted when the run is stopped. If it throws, the chat shows why.
 */
export type PageAgent = (
  input: RunInput,
  run: { readonly signal: AbortSignal },
) => AsyncIterable<object> | Iterable<object> | Promise<AsyncIterable<object> | Iterable<object>>;

/** The options of a chat with an agent in the page. */
export interface PageAgentOptions extends Omit<MountOptions, "url" | "agent" | "headers" | "credentials" | "reattach"> {
  agent: PageAgent;
  url?: undefined;
}

/** The options that a chat takes over while it is shown. A missing one is left alone, `undefined` is the default. */
export interface LiveOptions extends Pick<MountOptions, "url" | "headers" | "credentials" | "label" | "greeting" | "lang" | "labels"> {
  /** The model of chat completions, with `leptos-assistant/full`. */
  model?: string;
}

/** Texts of the chat by their names; a missing one has the words of the language. Placeholders are in braces: `{count}`.
 * A text may list plural forms by their categories: `{count, plural, one {# step} other {# steps}}`. */
export type Labels = Partial<Record<LabelName, string>>;

export interface AttachmentLimits {
  /** The accepted file types, as for an input's `accept`: `image/*,.pdf`. Any by default. */
  accept?: string;
  /** The maximum number of files with one message; 10 by default. */
  maxFiles?: number;
  /** The maximum size of a file in bytes; 10,000,000 by default. */
  maxBytes?: number;
  /** The maximum size of the files of a message together, in bytes; 7,000,000 by default. */
  maxTotalBytes?: number;
}

/** The state of a call, for its renderer. */
export interface DrawnCall {
  key: number;
  id: string;
  name: string;
  title: string | null;
  risk: "plain" | "attention" | "danger";
  phase: Phase;
  status: "pending" | "executing" | "complete" | "failed";
  argsText: string;
  /** The arguments once they are complete; with `streamArgs`, as far as they have arrived. */
  args: any;
  /** The arguments that would run. */
  argsValue: any;
  originalArgs: any;
  isEdited: boolean;
  progress: { fraction: number | null; text: string | null } | null;
  preliminary: any;
  result: any;
  error: string | null;
  preview: { value: Json } | { error: string } | null;
  /** True once the request was visible to its end and unchanged for half a second. */
  canApprove: boolean;
  hasChanged: boolean;
  denialReason: string | null;
}

/** The state of a part of a message. */
export interface DrawnPart {
  messageId: string | null;
  /** True while it arrives. */
  isOpen: boolean;
  text: string;
  data: any;
}

/** The state of a question of the agent. */
export interface DrawnInterrupt {
  id: string;
  reason: string;
  message: string | null;
  schema: Json;
  expiresAt: number | null;
  isRejected: boolean;
  canAnswer: boolean;
}

/** An object that a renderer draws. */
export interface Drawn<State> {
  current(): State;
  /** Calls back now and for each other state, until the view is removed. Returns a function that ends it earlier. */
  subscribe(listener: (state: State) => void): () => void;
}

/**
 * A call that a renderer draws. Decisions throw an `Error` if they are refused: an approval counts only once the
 * request was visible, and only from an event of the user, within its listener.
 */
export interface ToolCallView extends Drawn<DrawnCall> {
  approve(): void;
  approveWith(args: { [key: string]: Json }): void;
  approveAndRemember(args: { [key: string]: Json } | null, what: Remember): void;
  deny(reason?: string): void;
  /** Answers {@link ToolContext.ask}. */
  reply(value: Json): void;
}

/** A question of the agent that a renderer draws. */
export interface InterruptView extends Drawn<DrawnInterrupt> {
  answer(answer: Json): void;
  giveUp(): void;
}

/**
 * Draws into an element, which is empty. Returns nothing, or a function that is called when the view is removed. If it
 * throws, or the drawing of a question is still empty after a second, the built-in view is shown.
 */
export type Renderer<Of> = (object: Of, element: HTMLElement) => void | (() => void);

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
  /** Returns the messages of the shown branch. */
  history(): Message[];
  /** Returns the calls of the conversation so far, including this one. */
  toolHistory(): ToolHistory;
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
 * An action. Its functions get the arguments of a call, as a copy; the guide ("Any page: reference") says how values
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
   * computed again after the approval: if it differs by then, nothing runs. It must answer within ten seconds.
   */
  preview?: (args: Args) => Json | Promise<Json>;
  /** Draws the calls. It runs once for each card; `call.subscribe` follows the call. */
  render?: Renderer<ToolCallView>;
  /** Draws the approval of a call. The exact arguments stay one click away below it. */
  renderApproval?: Renderer<ToolCallView>;
  /** Exposes arguments to `render` while they arrive. */
  streamArgs?: boolean;
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

/** The phases of a call, in their usual order. */
export type Phase =
  | "input-streaming"
  | "input-available"
  | "approval-requested"
  | "approval-responded"
  | "running"
  | "output-available"
  | "output-error"
  | "output-denied"
  | "skipped"
  | "cancelled";

/** A message of the shown branch. */
export interface Message {
  id: string;
  role: "developer" | "system" | "user" | "assistant" | "reasoning" | "activity" | "tool";
  text: string;
  /** The keys of its calls ({@link Chat.call}). */
  calls: number[];
  /** True while the agent is writing it. */
  streaming: boolean;
}

/** A call of a tool. */
export interface ToolCall {
  /** Identifies the call in its conversation. */
  key: number;
  /** The id that the agent gave it. */
  id: string;
  name: string;
  phase: Phase;
  status: "pending" | "executing" | "complete" | "failed";
  /** The arguments as the agent wrote them, also while they arrive. */
  argsText: string;
  /** The arguments that run or would run. */
  args: Json;
  result: Json;
  error: string | null;
  messageId: string | null;
  /** The call whose handler requested it. */
  parent: number | null;
}

/** The calls of a conversation; the newest two hundred with details, which are truncated like audit records. */
export interface ToolHistory {
  total: number;
  counts: { [tool: string]: number };
  records: {
    call: number;
    callId: string;
    name: string;
    args: Json;
    phase: Phase;
    result: Json;
    error: string | null;
    messageId: string | null;
    parent: number | null;
    createdAt: number;
    endedAt: number | null;
  }[];
}

/** A notice to the user. */
export interface Notice {
  id: number;
  kind: string;
  message: string;
  isFailure: boolean;
  status: number | null;
  retryAfterMs: number | null;
  action: "retry" | "continueLoop" | null;
}

/** The tokens of an answer, as far as they are known. */
export interface TokenUsage {
  provider?: string;
  model?: string;
  inputTokens?: number;
  outputTokens?: number;
  totalTokens?: number;
  reasoningTokens?: number;
  cachedInputTokens?: number;
  cacheWriteInputTokens?: number;
}

/** Tokens, time and price of answers, as far as they are known. */
export interface Cost {
  usage: TokenUsage[];
  durationMs: number | null;
  waitedMs: number | null;
  priceMicros: number | null;
}

/** A conversation in the store. */
export interface ThreadInfo {
  id: string;
  title: string;
  /** True if the user named it. */
  named: boolean;
  updatedAt: number;
  deletedAt: number | null;
}

/** The state of a chat: each part is a method that returns its current value, and a name for {@link Chat.subscribe}. */
export interface ChatState {
  /** The messages of the shown branch; it changes when one is added, ends or is replaced. */
  messages: Message[];
  /**
   * The present activity: `busy` while a run, a handler or a question to the user is open, `streaming` while the agent
   * streams, `waiting` if nothing continues until the user answers, `asking` while a handler asks the user, `elsewhere` if
   * the activity belongs to a branch that is not shown.
   */
  activity: { busy: boolean; streaming: boolean; waiting: boolean; asking: boolean; elsewhere: boolean };
  /** The names of the tools that run. */
  runningTools: string[];
  /** The keys of the calls that run. */
  runningCalls: number[];
  /** The keys of the calls that wait for approval. */
  pendingApprovals: number[];
  notices: Notice[];
  /** The steps that the agent reports. */
  agentSteps: { name: string; finished: boolean; failure: string | null }[];
  /** The tools that were offered to the agent with the last run. */
  tools: { name: string; description: string; parameters: Json }[];
  /** The state that page and agent share. */
  state: Json;
  /** The questions of the agent. */
  interrupts: { interrupt: { [field: string]: Json }; call: number | null; answered: boolean; rejected: boolean }[];
  /** The messages that wait until the agent has answered: texts, or lists of parts. */
  queued: Json[];
  threadId: string;
  /** The runs of this turn, and the reason for its end. */
  summary: { runs: { runId: string; tools: string[]; usage: TokenUsage[]; hasText: boolean }[]; finish: string | null };
  cost: Cost;
  /** The stored conversations, after {@link Chat.listConversations}. */
  conversations: ThreadInfo[];
  /** The ids of the conversations of this page, without the current one. */
  pastConversations: string[];
  /** The approvals that the user has given for later calls. */
  rememberedApprovals: { [field: string]: Json }[];
  ownership: "notStored" | "opening" | "thisTab" | "otherTab";
  /** A number that changes with the branches. */
  treeChanges: number;
}

/** An event of a conversation, for {@link Chat.onEvent}. Calls are named by their keys, which methods of a chat take. */
export type AssistantEvent =
  | { type: "message"; id: string; role: Message["role"] }
  | { type: "approvalAsked" | "callStarted"; call: number; name: string }
  | { type: "callEnded"; call: number; name: string; phase: Phase }
  | { type: "error"; notice: Notice };

/** An event of a call: it needs approval, starts or ends. */
export interface CallEvent {
  call: number;
  name: string;
  kind: string;
  before: Phase | null;
  phase: Phase;
  /** The reason for a denial. */
  reason: string | null;
  error: string | null;
}

/** An event of the loop of runs and calls. */
export type LoopEvent =
  | { type: "userMessage" | "interjection"; message: string }
  | { type: "assistantMessage"; message: string; isNew: boolean }
  | { type: "toolCalls"; message: string; calls: number[] }
  | { type: "toolStarted"; call: number; name: string }
  | { type: "toolExecuted"; call: number; name: string; phase: Phase }
  | { type: "finalResponse"; message: string | null; reason: string; cost: Cost };

/** The scope and the bounds of an approval for later calls. */
export interface Remember {
  scope: "conversation" | "session" | "always";
  /** True for any arguments. */
  anyArgs?: boolean;
  uses?: number;
  /** Milliseconds. */
  lasts?: number;
  /** The maxima of arguments, by JSON Pointers. */
  upTo?: { [pointer: string]: number };
}

/** A change of the tree of branches. */
export type TreeChange =
  | { select: string; exact?: boolean }
  | { switch: string; to: "previous" | "next" }
  | { delete: string }
  | { showRun: true };

/** A suggested message: its text, or a text and the label of its button. */
export type Suggestion = string | { text: string; label?: string };

/** The text that the user is writing. */
export interface Composer {
  text(): string;
  setText(text: string): void;
  focus(): void;
}

/** The audit records since {@link Chat.startAudit}; at most the newest thousand. */
export interface AuditLog {
  entries(): { [field: string]: Json }[];
  export(): Json;
  onEntry(listener: (entry: { [field: string]: Json }) => void): () => void;
}

/** An approval for later calls, as stored. */
export interface StoredApproval {
  id: string;
  [field: string]: Json;
}

/** A store of approvals that outlive the page. */
export interface ApprovalStore {
  /**
   * Returns the stored approvals. If it fails, nothing changes in the chat, and nothing is stored before it has succeeded
   * once.
   */
  load(): StoredApproval[] | Promise<StoredApproval[]>;
  /**
   * Stores approvals that this page has added, and removes approvals by their ids. `removed` are the ids of all approvals
   * that this page has revoked or used up so far, so that a removal that failed is repeated; most are not stored any more.
   * All other entries must stay unchanged: they may be those of other tabs, and only `swap` changes an entry.
   */
  change(added: StoredApproval[], removed: string[]): void | Promise<void>;
  /**
   * Atomically replaces an approval, if the stored entry with this id still equals `before`, and returns true. Otherwise
   * changes nothing, and returns the stored entry, or null if there is none. It counts the uses of an approval with
   * `uses`; without `swap` such an approval allows no call.
   */
  swap?(before: StoredApproval, after: StoredApproval): true | StoredApproval | null | Promise<true | StoredApproval | null>;
  /**
   * Calls `changed` when another writer, such as another tab or chat, has changed the approvals: what was removed is revoked
   * here, too. Returns a function that ends the subscription.
   */
  onChange?(changed: () => void): () => void;
}

type StateMethods = { [Name in keyof ChatState]: () => ChatState[Name] };

/**
 * A mounted chat. After an internal error it stops for good, and shows so; only a reload helps then. All methods but
 * `unmount` throw then, and after the chat has been unmounted. A method whose argument has the wrong type throws a
 * `TypeError`; one that the chat refuses throws an `Error` with the reason.
 *
 * Methods that decide (`approve`, `deny`, `answer` and others) decide for the page, and are recorded so; an action with
 * `onlyUserApproves` refuses their approvals. Listeners get copies; one that throws is reported in the console. All
 * methods that take a listener return a function that ends the subscription.
 */
export interface Chat extends StateMethods {
  /**
   * Registers an action. Returns a function that removes it. Throws on a name that providers refuse, and a `TypeError`
   * on a field that does not exist or has the wrong type: an ignored misspelt `approval` would run without approval.
   */
  registerAction<Args = any>(action: ActionDefinition<Args>): () => void;
  /**
   * Provides context to the agent with every run: a value, or a function that is called when a run opens. Returns a
   * function that removes it.
   */
  registerContext(description: string, value: Json | (() => Json)): () => void;
  /** Draws the calls of a tool, or of all with `null`; an action's own `render` takes precedence. */
  renderTools(target: string | null, render: Renderer<ToolCallView>): () => void;
  /** Draws parts of messages: of a kind, of a type of data, or of all data with `null`. */
  renderParts(target: "text" | "reasoning" | "file" | "unknown" | { data: string | null }, render: Renderer<Drawn<DrawnPart>>): () => void;
  /** Draws questions of the agent with a reason, or all with `null`. */
  renderInterrupts(target: string | null, render: Renderer<InterruptView>): () => void;
  /** Calls back for a part of the state: now, and when it has changed. */
  subscribe<Name extends keyof ChatState>(name: Name, listener: (value: ChatState[Name]) => void): () => void;
  /** Calls back for complete messages, approval requests, starts and ends of calls, and errors. */
  onEvent(listener: (event: AssistantEvent) => void): () => void;
  /** Calls back when a call needs approval, starts or ends. */
  onCallEvent(listener: (event: CallEvent) => void): () => void;
  /** Calls back for the events of the loop, in the order of each iteration. */
  onLoopEvent(listener: (event: LoopEvent) => void): () => void;
  /** Calls back for input that was tolerated, dropped or not acted on. */
  onDiagnostic(listener: (diagnostic: { code: string; message: string }) => void): () => void;
  /** The text that the user is writing. */
  readonly composer: Composer;
  /** Sets the suggested first messages. */
  setSuggestions(suggestions: Suggestion[]): void;
  /** Sets the suggested next messages, above the composer. */
  setFollowUps(suggestions: Suggestion[]): void;

  /** Sends a message to the agent. Throws while a run is active. */
  send(text: string): void;
  /**
   * Changes options while the chat is shown: nothing is mounted again, and the conversation continues. An agent is
   * replaced from the next run on.
   */
  update(changes: Partial<LiveOptions>): void;
  /** Sends a text, or a list of AG-UI content parts. */
  sendContent(content: Json): void;
  /** Sends a message during the loop: it joins the chat at a boundary between tools. */
  interject(text: string): void;
  interjectContent(content: Json): void;
  /** Stops the run. */
  stop(): void;
  /** Retries the run that failed or was stopped. */
  retry(): void;
  /** Continues the loop after its limit. */
  continueLoop(): void;
  /** Shows the requests that were held back because there were too many. */
  showHeldBack(): void;
  /** Removes a notice. */
  dismiss(notice: number): void;
  /** Sets the state that page and agent share. */
  setState(state: Json): void;
  /** Changes the shared state by a function that returns the new one. */
  updateState(change: (state: any) => Json): void;
  /** Sets `forwardedProps` of each request. */
  setForwardedProps(props: Json): void;

  /** Returns a call; `null` if no call has this key. */
  call(key: number): ToolCall | null;
  messageText(message: string): string;
  toolHistory(): ToolHistory;
  listTools(): { [field: string]: Json }[];
  /** The events beside the conversation, in AG-UI's form. */
  sideEvents(): Json[];
  clientId(): string;
  /** Calls an action as an agent does: with validated arguments, its limits, and the user's approval. */
  execute(name: string, args?: { [key: string]: Json }): Promise<Json>;
  /** Offers only the actions with one of these names or tags; all of them with `null`. */
  offerOnly(filter: { names?: string[]; tags?: string[] } | null): void;
  /** Offers these actions regardless of the filter, for this conversation. */
  offerAlso(names: string[]): void;
  /** Sets a rule for all actions, like the `permission` of one. */
  setPermission(rule: (name: string, args: any) => boolean | string | Promise<boolean | string>): void;

  /**
   * Sets the prices of tokens: `price` returns the price of token usage in millionths of the currency (a code such as
   * `EUR`), which is rounded, or null if it is unknown. From then on, answers show their cost.
   */
  setPrices(currency: string, price: (usage: TokenUsage) => number | null): void;
  /** Sets the rule of a {@link StopCondition}. The loop ends unless it returns false. */
  setStopRule(name: string, rule: (summary: ChatState["summary"]) => boolean): void;

  /** Approves a call for the page. */
  approve(call: number): void;
  /** Approves a call with other arguments. */
  approveWith(call: number, args: { [key: string]: Json }): void;
  /** Approves a call and later ones; `null` keeps its arguments. */
  approveAndRemember(call: number, args: { [key: string]: Json } | null, what: Remember): void;
  deny(call: number, reason?: string): void;
  denyAllAndStop(): void;
  /** Answers a question of the agent, by the id of its interrupt. */
  answer(interrupt: string, payload: Json): void;
  /** Skips a question of the agent. */
  giveUp(interrupt: string): void;
  /** Revokes an approval for later calls. */
  forgetApproval(id: string): void;
  /**
   * Persists approvals in a store of the page, and lets the user allow actions permanently. Anyone who can write to the
   * store can approve calls. A later store replaces an earlier one.
   */
  persistApprovals(store: ApprovalStore): void;
  /**
   * Starts to record the history of calls, until the chat is removed. `redact` returns the record with the arguments
   * (`args`), the reason and the error message (`error.message`) to store; what it leaves out is removed, all three without
   * a valid answer. The other fields are stored unchanged. `args` is a string if the agent sent no valid JSON.
   */
  startAudit(options?: { redact?: (entry: any) => { [field: string]: Json } }): AuditLog;

  /** Sends another text for a message of the user, as a new branch. */
  edit(message: string, text: string): void;
  /** Asks for another answer, as a new branch. */
  regenerate(message: string): void;
  /** Returns the number of a message among its versions, from 1, and their count. */
  version(message: string): [number: number, count: number] | null;
  showVersion(message: string, to: "previous" | "next"): void;
  /** Shows the branch that the run is writing. */
  showRunBranch(): void;
  changeTree(change: TreeChange): void;

  /** Starts another conversation. */
  newConversation(): void;
  /** Opens a conversation by its id. */
  openConversation(threadId: string): void;
  /** Reads the list of stored conversations. */
  listConversations(): void;
  renameConversation(threadId: string, title: string): void;
  deleteConversation(threadId: string): void;
  restoreConversation(threadId: string): void;
  /**
   * Searches the messages of the listed conversations. Calls back with the id of each that contains the words, and with
   * `null` at the end. Returns a function that ends the search.
   */
  searchConversations(words: string, listener: (threadId: string | null) => void): () => void;
  /** Takes the conversation from another tab. */
  useHere(): void;
  /** Returns the whole conversation, as versioned JSON for {@link Chat.import}. */
  export(): Json;
  /** Opens a conversation: the output of {@link Chat.export}, or a list of AG-UI messages. */
  import(conversation: Json): void;

  /** Removes the chat from the page and ends everything that runs. A second call does nothing. */
  unmount(): void;
}

/**
 * Mounts a chat in an element, which must have a height. Link `style.css` for its styles. The chat takes messages as soon
 * as it is shown. The promise resolves once all methods are loaded; messages that were sent before are answered with the
 * actions and rules that are registered right after it. Rejects when a chat of the page has stopped, and with a
 * `TypeError` when the target is not an element, or an option does not exist or is not valid.
 */
export function mount(element: HTMLElement, options: MountOptions | PageAgentOptions): Promise<Chat>;
