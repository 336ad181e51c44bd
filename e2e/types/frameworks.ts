// Uses of react.d.ts and vue.d.ts that are accepted, and uses that are refused. It is only compiled, never run.

import { createElement, type ReactElement } from "react";
import { h, ref } from "vue";
import * as react from "leptos-assistant/react";
import * as vue from "leptos-assistant/vue";

const chat: ReactElement = createElement(react.Assistant, {
  url: "/agent",
  layout: "popup",
  shadow: true,
  open: true,
  headers: async ({ refused }) => ({ authorization: refused ? "new" : "cached" }),
  onReady: (chat) => chat.send("Hello"),
  onAction: ({ name, phase }) => void [name, phase === "running"],
  onError: ({ message, error }) => void [message, error?.stack],
});
createElement(react.Assistant, { protocol: "completions", url: "/v1", model: "small", store: "indexeddb" });
createElement(react.Assistant, { agent: () => [], initial: [] });
createElement(react.Assistant, { url: "/agent", store: "indexeddb", onReady: (chat) => "onUpdate" in chat && chat.onUpdate(() => {}) });
// @ts-expect-error an address or an agent is needed
createElement(react.Assistant, { label: "Support" });
// @ts-expect-error there is no such layout
createElement(react.Assistant, { url: "/agent", layout: "dialog" });
// @ts-expect-error the components have events of their own
createElement(react.Assistant, { url: "/agent", onEvent: () => {} });
createElement(react.Assistant, { url: "/agent", empty: "Ask about orders", footer: createElement("a", { href: "/privacy" }, "Privacy") });
createElement(react.Assistant, { url: "/agent", "data-testid": "chat", "aria-description": "About orders" });
createElement(react.AssistantScope, null, chat);

react.useAssistantAction<{ id: number }>({ name: "open", handler: ({ id }) => id + 1, render: ({ phase, args }) => `${phase} ${args.id}` }, []);
react.useAssistantAction({ name: "open", approval: "always", renderApproval: (call) => createElement("button", { onClick: () => call.approve() }) });
// @ts-expect-error a card is a node
react.useAssistantAction({ name: "open", render: () => () => {} });
// @ts-expect-error there is no such rule
react.useAssistantAction({ name: "open", approval: "sometimes" });
react.useAssistantContext("The page", () => ({ path: "/" }));
// @ts-expect-error context is JSON
react.useAssistantContext("The page", new Map());
const cost: number | null | undefined = react.useAssistantState("cost")?.priceMicros;
// @ts-expect-error there is no such state
react.useAssistantState("weather");

h(vue.Assistant, { url: "/agent", layout: "sidebar", shadow: true, onReady: (chat) => chat.send("Hello") });
h(vue.Assistant, { url: "/agent" }, { footer: () => h("a", "Privacy") });
const page = ref("/");
vue.useAssistantAction(() => ({ name: "open", description: `Opens ${page.value}`, render: (call) => h("p", call.title ?? "") }));
// @ts-expect-error a misspelt field
vue.useAssistantAction({ name: "open", aproval: "always" });
vue.useAssistantContext("The page", page);
// @ts-expect-error context is JSON
vue.useAssistantContext("The page", () => new Map());
const keys: number[] | undefined = vue.useAssistantState("pendingApprovals").value;
vue.useAssistant().value?.stop();
h(vue.Assistant, { url: "/agent", store: "indexeddb", onReady: (chat) => "onUpdate" in chat && chat.onUpdate(() => {}) });
const shown: react.AssistantChat | undefined = react.useAssistant();
if (shown && "applyUpdate" in shown) shown.applyUpdate({ kind: "message" });
// @ts-expect-error other chats have no records
shown?.onUpdate(() => {});
const followed = vue.useAssistant().value;
if (followed && "applyUpdate" in followed) followed.applyUpdate({ kind: "message" });
export { cost, keys };
