// The methods of a chat: the handle of the program, with arguments that are checked and written as JSON.
import { approvalStore } from "./approvals.js";
import { FUNCTION, JSON_VALUE, OBJECT, OPTIONAL_OBJECT, OPTIONAL_TEXT, REMEMBER, TEXT, TEXTS, copiesOf, flag, isObject, isOneOf, isText, isTexts, isWhole, micros, needFunction, permission } from "./checks.js";
import { calling, callingAsync, json, reading, refuseUnknown, reportingListener, snapshot } from "./foreign.js";
import { drawing } from "./render.js";

/** The parts of the state. Each is a method that returns the current value, and can be subscribed to. */
const STATE = [
  "messages",
  "activity",
  "runningTools",
  "runningCalls",
  "pendingApprovals",
  "notices",
  "agentSteps",
  "tools",
  "state",
  "interrupts",
  "queued",
  "threadId",
  "summary",
  "cost",
  "conversations",
  "pastConversations",
  "rememberedApprovals",
  "ownership",
  "treeChanges",
];

const KEY = [isWhole, "the key of a call, a number"];
const ID = [isWhole, "an id, a number"];
const CONTENT = [(value) => isText(value) || Array.isArray(value), "a text, or a list of parts"];
const DIRECTION = [isOneOf("previous", "next"), '"previous" or "next"'];
const FILTER = [
  (value) => value === null || (isObject(value) && Object.entries(value).every(([name, list]) => ["names", "tags"].includes(name) && isTexts(list))),
  "an object with lists `names` and `tags`, or null",
];
const SUGGESTIONS = [
  (value) => Array.isArray(value) && value.every((one) => isText(one) || (isObject(one) && isText(one.text) && OPTIONAL_TEXT[0](one.label))),
  "a list of texts, or of objects with `text` and `label`",
];
const TREE_CHANGE = [
  (value) => isObject(value) && (["select", "switch", "delete"].some((name) => isText(value[name])) || value.showRun === true),
  "an object with `select`, `switch`, `delete` or `showRun`",
];

/** The methods of the program that take and return JSON, with the types of their arguments. */
const METHODS = {
  call: [KEY],
  messageText: [TEXT],
  version: [TEXT],
  toolHistory: [],
  listTools: [],
  sideEvents: [],
  clientId: [],
  export: [],
  import: [JSON_VALUE],
  applyUpdate: [OBJECT],
  send: [TEXT],
  sendContent: [CONTENT],
  interject: [TEXT],
  interjectContent: [CONTENT],
  stop: [],
  retry: [],
  continueLoop: [],
  showHeldBack: [],
  edit: [TEXT, TEXT],
  regenerate: [TEXT],
  showVersion: [TEXT, DIRECTION],
  showRunBranch: [],
  changeTree: [TREE_CHANGE],
  approve: [KEY],
  approveWith: [KEY, OBJECT],
  approveAndRemember: [KEY, OPTIONAL_OBJECT, REMEMBER],
  deny: [KEY, OPTIONAL_TEXT],
  denyAllAndStop: [],
  answer: [TEXT, JSON_VALUE],
  giveUp: [TEXT],
  newConversation: [],
  openConversation: [TEXT],
  listConversations: [],
  renameConversation: [TEXT, TEXT],
  deleteConversation: [TEXT],
  restoreConversation: [TEXT],
  useHere: [],
  dismiss: [ID],
  setState: [JSON_VALUE],
  setForwardedProps: [JSON_VALUE],
  forgetApproval: [TEXT],
  offerAlso: [TEXTS],
  offerOnly: [FILTER],
  setSuggestions: [SUGGESTIONS],
  setFollowUps: [SUGGESTIONS],
};
/** The methods of the composer. */
const COMPOSER = { text: [], setText: [TEXT], focus: [] };
/** Returns true for the code of a currency, because `Intl` rejects any other text. */
const isCurrency = (value) => isText(value) && /^[A-Z]{3}$/i.test(value);
/** The parts of the state that are not data. */
const PARTS = ["text", "reasoning", "file", "unknown"];
/** The kinds of events. */
const EVENTS = ["onEvent", "onCallEvent", "onLoopEvent", "onDiagnostic", "onUpdate"];

/**
 * Creates the methods of a chat. `call` runs a function with the program's chat; `undo` wraps a registration of the
 * program in a function that removes it.
 */
export function handleOf(call, undo) {
  const method = (name, types) => (...args) => {
    const copies = copiesOf(name, types, args);
    return JSON.parse(call((chat) => chat.call(name, JSON.stringify(copies))));
  };
  const all = (table) => Object.fromEntries(Object.entries(table).map(([name, types]) => [name, method(name, types)]));
  const methods = all(METHODS);
  const states = Object.fromEntries(STATE.map((name) => [name, method(name, [])]));
  /** Ends the subscription to the store of approvals. */
  let endApprovals;
  /** The listeners of each kind of events, as long as there are any. The program has one observer for all of them. */
  const listeners = {};
  const observing = (kind) => (listener) => {
    const notify = reportingListener(kind, needFunction(kind, listener));
    // Throws if there is no chat any more.
    call(() => {});
    if (!listeners[kind]) {
      const set = new Set();
      const end = undo(call((chat) => chat.observe(kind, (text) => [...set].forEach((notify) => set.has(notify) && notify(text)))));
      listeners[kind] = { set, end };
    }
    const { set, end } = listeners[kind];
    set.add(notify);
    return () => {
      if (!set.delete(notify) || set.size > 0) return;
      delete listeners[kind];
      end();
    };
  };
  const named = (method, target) => {
    if (target !== null && !isText(target)) throw new TypeError(`${method}: the target must be a text, or null for all`);
    return target ?? undefined;
  };
  const rendering = (method, what, kind, target, draw) => {
    const draws = drawing(`\`${method}\` of ${JSON.stringify(target ?? what)}`, kind, needFunction(method, draw));
    return undo(call((chat) => chat.render(what, target, draws)));
  };
  return {
    ...states,
    ...methods,
    composer: Object.freeze(all(COMPOSER)),
    subscribe(name, listener) {
      if (!STATE.includes(name)) throw new TypeError(`subscribe: the state is one of ${STATE.join(", ")}`);
      const notify = reportingListener(`subscribe(${JSON.stringify(name)})`, needFunction("subscribe", listener));
      return undo(call((chat) => chat.watch(name, notify)));
    },
    ...Object.fromEntries(EVENTS.map((kind) => [kind, observing(kind)])),
    renderTools: (target, draw) => rendering("renderTools", "tools", "call", named("renderTools", target), draw),
    renderInterrupts: (target, draw) => rendering("renderInterrupts", "interrupts", "interrupt", named("renderInterrupts", target), draw),
    renderParts(target, draw) {
      const data = target?.data;
      if (PARTS.includes(target)) return rendering("renderParts", target, "part", undefined, draw);
      if (data !== null && !isText(data)) throw new TypeError(`renderParts: the target must be one of ${PARTS.join(", ")}, or an object with \`data\``);
      return rendering("renderParts", "data", "part", data ?? undefined, draw);
    },
    updateState(change) {
      const state = needFunction("updateState", change)(states.state());
      if (state === undefined) throw new TypeError("updateState: the function must return the new state");
      methods.setState(state);
    },
    async execute(name, args = {}) {
      if (!isText(name)) throw new TypeError("execute: the name must be a text");
      const text = json("execute: the arguments", args);
      return JSON.parse(await call((chat) => chat.execute(name, text)));
    },
    registerContext(description, value) {
      if (!isText(description)) throw new TypeError("registerContext: the description must be a text");
      const fixed = typeof value === "function" ? undefined : JSON.parse(json("registerContext: the value", value));
      const read = typeof value === "function" ? value : () => fixed;
      const named = `registerContext(${JSON.stringify(description)})`;
      return undo(call((chat) => chat.registerContext(description, reading(named, read, (value) => value))));
    },
    setStopRule(name, rule) {
      if (!isText(name)) throw new TypeError("setStopRule: the name must be a text");
      const stops = calling("`setStopRule`", needFunction("setStopRule", rule), "string", flag);
      call((chat) => chat.setStopRule(name, stops));
    },
    searchConversations(words, listener) {
      if (!isText(words)) throw new TypeError("searchConversations: the words must be a text");
      const notify = reportingListener("searchConversations", needFunction("searchConversations", listener));
      return undo(call((chat) => chat.searchConversations(words, notify)));
    },
    setPermission(rule) {
      needFunction("setPermission", rule);
      const checked = callingAsync("`setPermission`", (args, name) => rule(name, args), "bigint", permission);
      call((chat) => chat.setPermission(checked, true));
    },
    setPrices(currency, rule) {
      if (!isCurrency(currency)) throw new TypeError("setPrices: the currency must be a code of three letters, such as EUR");
      const price = calling("`setPrices`", needFunction("setPrices", rule), "string", micros);
      call((chat) => chat.setPrices(currency, price));
    },
    persistApprovals(store) {
      const wrapped = approvalStore(store, call);
      // The earlier subscription ends first, because the store may have only one listener.
      endApprovals?.();
      endApprovals = undo(call((chat) => chat.persistApprovals(wrapped)));
    },
    startAudit(options = {}) {
      refuseUnknown("startAudit", options, ["redact"]);
      const { redact } = snapshot("startAudit", options, { redact: FUNCTION });
      const set = new Set();
      const converts = redact && calling("`redact`", redact, "string", (value) => value);
      const log = call((chat) => chat.startAudit(converts, (text) => [...set].forEach((notify) => set.has(notify) && notify(text))));
      return Object.freeze({
        entries: () => JSON.parse(call(() => log.entries())),
        export: () => JSON.parse(call(() => log.export())),
        onEntry(listener) {
          const notify = reportingListener("onEntry", needFunction("onEntry", listener));
          set.add(notify);
          return () => void set.delete(notify);
        },
      });
    },
  };
}
