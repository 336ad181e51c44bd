// Code that the types of the npm package accept, and code that they refuse. It is only compiled, never run.

import { LeptosAssistantElement } from "../../dist/embed/element.js";
import { highlightJs } from "../../dist/embed/highlight-js.js";
import { mount as mountFull } from "../../dist/embed/full.js";
import { mount, type ActionDefinition, type Chat, type Highlight, type Json } from "../../dist/embed/index.js";

const place: HTMLElement = document.body;
const chat: Chat = await mount(place, { url: "/agent", headers: { authorization: "Bearer x" } });

const unregister: () => void = chat.registerAction<{ query: string; limit?: number }>({
  name: "web_search",
  description: "Search the web",
  parameters: { type: "object", properties: { query: { type: "string" } } },
  approval: "always",
  handler: async ({ query, limit = 3 }) => ({ query: query.toUpperCase(), limit, found: [null, true, 1.5, "x"] }),
});
unregister();

chat.registerAction({ name: "ping", handler: () => "pong" });
chat.registerAction({ name: "log", handler: (args) => void args });
chat.registerAction({ name: "later", handler: () => Promise.resolve() });
chat.send("Hello");
chat.newConversation();
chat.update({ label: "Support", greeting: undefined, headers: { authorization: "Bearer y" } });
// @ts-expect-error this one needs another chat
chat.update({ headingOffset: 3 });
chat.unmount();

const shout: Highlight = (code, language) => [[code, `shout-${language}`]];
await mount(place, { url: "/agent", highlight: shout, headingOffset: 3 });
const load = async () => ({ getLanguage: (name: string) => name, highlight: (code: string) => ({ value: code }) });
await mount(place, { url: "/agent", highlight: highlightJs(load) });
await mount(place, { url: "/agent", mediaOrigins: ["https://media.example.com"], attachments: { accept: "image/*", maxFiles: 2 } });
await mount(place, { url: "/agent", labels: { stopped: "Angehalten", reload: "Neu laden" } });
await mount(place, { url: "/agent", lang: "pt-BR", labels: { send: "Vai", newConversation: "De novo" } });
chat.update({ lang: "de", labels: undefined });
await mount(place, { url: "/agent", slots: { header: place, empty: document.createElement("p") } });
await mount(place, { url: "/agent", shadow: true });
// @ts-expect-error a flag, not a mode
await mount(place, { url: "/agent", shadow: "open" });
// @ts-expect-error an attribute of the element
new LeptosAssistantElement().options = { shadow: true };
// @ts-expect-error there is no such place
await mount(place, { url: "/agent", slots: { aside: place } });
// @ts-expect-error there is no such label
await mount(place, { url: "/agent", labels: { sned: "Los" } });
// @ts-expect-error the first module has no store
await mount(place, { url: "/agent", store: "indexeddb" });
// @ts-expect-error words are strings
await mount(place, { url: "/agent", labels: { stopped: 1 } });
// @ts-expect-error tokens are pairs
await mount(place, { url: "/agent", highlight: (code) => [code] });

const value: Json = { list: [1, "two", null, { deep: false }] };
const action: ActionDefinition<{ id: number }> = { name: "open", handler: ({ id }) => id + 1 };
chat.registerAction(action);

// @ts-expect-error an address is needed
await mount(place, {});
// @ts-expect-error only an element can hold a chat
await mount("#chat", { url: "/agent" });
await mount(place, { url: "/agent", credentials: "include", headers: () => ({ authorization: "Bearer x" }) });
await mount(place, { url: "/agent", headers: async ({ refused }) => ({ authorization: refused ? "new" : "cached" }) });
// @ts-expect-error an unknown value
await mount(place, { url: "/agent", credentials: "always" });
// @ts-expect-error headers are strings
await mount(place, { url: "/agent", headers: () => 5 });
// @ts-expect-error headers are strings
await mount(place, { url: "/agent", headers: { retries: 3 } });
chat.registerAction<{ id: bigint }>({ name: "open", numbers: "bigint", handler: ({ id }) => String(id + 1n) });
// @ts-expect-error a misspelt field
chat.registerAction({ name: "pay", aproval: "always" });
// @ts-expect-error an unknown rule
chat.registerAction({ name: "pay", approval: "sometimes" });
// @ts-expect-error a rule answers true or false
chat.registerAction({ name: "pay", approval: () => "yes" });
// @ts-expect-error a permission is true or a reason
chat.registerAction({ name: "pay", permission: () => 5 });
chat.registerAction<{ order: string; euros: number }>({
  name: "refund",
  description: () => "Refunds an order",
  parameters: () => ({ type: "object" }),
  enabled: () => true,
  approval: async ({ euros }) => euros > 10,
  onlyUserApproves: true,
  rememberFor: ["order"],
  rememberUses: 5,
  rememberLasts: 3_600_000,
  rememberUpTo: { "/euros": 50 },
  denial: ({ order }, reason) => `${order} is not refunded: ${reason ?? ""}`,
  title: "Refund the order",
  titleWhileRunning: "Refunding",
  describe: ({ order, euros }) => ({ sentence: `Pay back ${euros.toFixed(2)} €?`, rows: [["Order", order]] }),
  risk: "danger",
  permission: async ({ euros }) => euros < 100 || "The budget is spent",
  limits: { calls: [5, 60_000], concurrent: 1, perRun: 2 },
  sanitize: ({ order, euros }) => ({ order: order.trim(), euros }),
  preview: async ({ order }) => `${order} would be refunded`,
  timeoutMs: 5_000,
  tags: ["orders"],
  version: "2",
  handler: async ({ order }, context) => {
    context.progress(0.5, "Half of it");
    context.preliminary([order]);
    const reply = await fetch("/refund", { signal: context.signal });
    const colour = (await context.askWith("Which colour?", { type: "string" })) as string;
    const sure: boolean = await context.confirm({ title: "Sure?", danger: true });
    await context.execute("open_cart", {});
    return { id: context.callId, ok: reply.ok && sure, colour, run: context.iteration };
  },
});
// @ts-expect-error rows are pairs
chat.registerAction({ name: "pay", describe: () => ({ sentence: "Pay?", rows: ["Order"] }) });
// @ts-expect-error an unknown representation of numbers
chat.registerAction({ name: "pay", numbers: "float" });
// @ts-expect-error an action has a name
chat.registerAction({ handler: () => null });
// @ts-expect-error a function is not JSON
chat.registerAction({ name: "bad", handler: () => () => 1 });
// @ts-expect-error arguments have the declared type
chat.registerAction<{ id: number }>({ name: "bad", handler: ({ id }) => id.trim() });
chat.registerAction({
  name: "paint",
  streamArgs: true,
  render: (call, element) => call.subscribe(({ args, progress }) => (element.textContent = `${args.colour} ${progress?.text}`)),
  renderApproval(call, element) {
    element.onclick = () => (call.current().canApprove ? call.approve() : call.deny("not yet"));
    return () => element.remove();
  },
});
chat.renderParts({ data: "gauge" }, (part, element) => void (element.textContent = part.current().data.metres));
chat.renderInterrupts(null, (question) => question.answer({ seat: question.current().id }));
// @ts-expect-error a renderer returns nothing, or a function
chat.renderTools("paint", () => "<p>");
const texts: string[] = chat.messages().map(({ text }) => text);
const stopListening: () => void = chat.subscribe("pendingApprovals", (keys) => keys.forEach((key) => chat.deny(key, "not now")));
chat.onEvent((event) => event.type === "callEnded" && event.phase.startsWith("output"));
chat.registerContext("The selected project", () => ({ name: "atlas" }));
chat.setState({ open: texts });
chat.updateState((state) => ({ ...state, more: 1 }));
chat.composer.setText("Hello");
chat.setSuggestions(["One", { text: "Two", label: "The second" }]);
const log = chat.startAudit({ redact: (entry) => ({ ...entry, args: { ...entry.args, card: null } }) });
log.onEntry(({ tool }) => tool);
chat.changeTree({ switch: "message-1", to: "next" });
stopListening();
// @ts-expect-error there is no such state
chat.subscribe("weather", () => {});
// @ts-expect-error a direction is previous or next
chat.showVersion("message-1", "up");
// @ts-expect-error only strings can be sent
chat.send(value);

await mountFull(place, { url: "/agent" });
await mountFull(place, { url: "/agent", store: "indexeddb", storeName: "shop", threadId: "order-17" });
// @ts-expect-error there is one store
await mountFull(place, { url: "/agent", store: "localStorage" });
await mountFull(place, { url: "/api/chat", protocol: "ui-stream", resumes: true });
await mount(place, { url: "/agent", reattach: "/agent/runs" });
// @ts-expect-error stored runs are those of an AG-UI agent
await mountFull(place, { url: "/api/chat", protocol: "ui-stream", reattach: "/runs" });
await mountFull(place, { url: "http://localhost:11434/v1", protocol: "completions", model: "small", label: "Chat" });
// @ts-expect-error the first module supports only AG-UI
await mount(place, { url: "/api/chat", protocol: "ui-stream" });
// @ts-expect-error a model is an option of completions
await mountFull(place, { url: "/agent", protocol: "ui-stream", model: "small" });
// @ts-expect-error an unknown protocol
await mountFull(place, { url: "/agent", protocol: "telegraph" });

const element: LeptosAssistantElement = document.createElement("leptos-assistant");
element.options = { headers: { "x-team": "harbor" }, highlight: shout };
const undo: () => void = element.registerAction({ name: "ping", handler: () => "pong" });
undo();
element.open();
element.close();
element.toggle();
element.addEventListener("leptos-assistant-action", ({ detail }) => detail.phase === "running");
// @ts-expect-error there is no such phase
element.addEventListener("leptos-assistant-action", ({ detail }) => detail.phase === "walking");
await mount(place, { url: "/agent", onEvent: (event) => event.type === "message" && event.role });
element.chat?.send("Hello");
element.options = { agent: () => [], options: { questions: { perRun: 5, perMinute: null } } };
element.options = { agent: () => [], store: "indexeddb", storeName: "shop" };
// @ts-expect-error an agent in the page takes no headers
element.options = { agent: () => [], headers: { "x-team": "harbor" } };
// @ts-expect-error options are those of `mount`
element.options = { colour: "red" };
// @ts-expect-error the element creates its chat
element.chat = undefined;

await mount(place, {
  agent: async function* (input, { signal }) {
    yield { type: "RUN_STARTED", threadId: input.threadId, runId: input.runId };
    if (!signal.aborted) yield { type: "RUN_FINISHED", threadId: input.threadId, runId: input.runId };
  },
});
await mountFull(place, { agent: () => [], store: "indexeddb" });
// @ts-expect-error an agent returns an iterable of events
await mount(place, { agent: () => 5 });
// @ts-expect-error a chat has one agent
await mount(place, { agent: () => [], url: "/agent" });
await mount(place, { url: "/agent", options: { stopWhen: { any: [{ runCount: 4 }, { rule: "budget" }] } }, limits: { messages: 100 }, initial: [] });
chat.setStopRule("budget", ({ runs }) => runs.length > 2);
chat.searchConversations("late tea", (id) => id?.trim());
await mount(place, { url: "/agent", options: { questions: { perRun: null, perMinute: 10 } } });
// @ts-expect-error a limit is a number, or null
await mount(place, { url: "/agent", options: { questions: { perRun: false } } });
// @ts-expect-error there is no such condition
await mount(place, { url: "/agent", options: { stopWhen: { cost: 5 } } });
