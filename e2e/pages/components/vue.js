// Cards, registrations and options as components of Vue, for framework-components.spec.mjs.
import { Assistant, provideAssistantScope, useAssistantAction, useAssistantContext, useAssistantState } from "leptos-assistant/vue";
import { createApp, defineComponent, h, ref } from "vue";

const AGENT = new URLSearchParams(location.search).get("agent");
const button = (text, onClick, more) => h("button", { type: "button", onClick, ...more }, text);

const Approval = defineComponent({
  props: ["call"],
  setup(props) {
    const count = ref(0);
    return () =>
      h("div", [
        h("p", `Refund ${props.call.argsValue.order}?`),
        button("Do it", () => props.call.approve(), { "aria-disabled": !props.call.canApprove }),
        button(`Counted ${count.value}`, () => count.value++),
        button("Do it later", () => setTimeout(() => globalThis.attempt(() => props.call.approve()))),
      ]);
  },
});

const Card = defineComponent({
  props: ["call"],
  setup: (props) => () => {
    if (props.call.args?.order === "broken") throw new Error("no card today");
    return h("p", `Refund of ${props.call.args?.order}: ${props.call.phase}`);
  },
});

const Actions = defineComponent({
  setup() {
    useAssistantContext("The page", () => location.pathname);
    useAssistantAction({
      name: "refund",
      approval: "always",
      parameters: { type: "object" },
      handler: (args) => void (globalThis.ran ??= []).push(args),
      render: (call) => h(Card, { call }),
      renderApproval: (call) => {
        if (call.argsValue.order === "undrawn") throw new Error("no approval today");
        return h(Approval, { call });
      },
    });
    return () => null;
  },
});

const Second = defineComponent({
  setup() {
    provideAssistantScope();
    return () => h(Assistant, { id: "two", url: AGENT, label: "Second", "data-la-theme": "dark", "aria-description": "The second chat" });
  },
});

const Followed = defineComponent({
  setup() {
    const state = useAssistantState("state");
    return () => h("p", `State: ${state.value?.of ?? "none"}`);
  },
});

const Page = defineComponent({
  setup() {
    const [isActive, label, headingOffset, hasThird] = [ref(true), ref("First"), ref(2), ref(false)];
    return () => [
      isActive.value && h(Actions),
      button("Toggle actions", () => (isActive.value = !isActive.value)),
      button("Rename", () => (label.value = "Renamed")),
      button("Lower headings", () => (headingOffset.value = 3)),
      button("Toggle third", () => (hasThird.value = !hasThird.value)),
      h(Followed),
      // Another chat of the page's scope, which begins once it is opened.
      hasThird.value && h(Assistant, { id: "three", url: AGENT, label: "Third", layout: "popup" }),
      h(
        Assistant,
        {
          id: "one",
          url: AGENT,
          label: label.value,
          headingOffset: headingOffset.value,
          highlight: (code) => [[code, label.value]],
          headers: () => ({ "x-label": label.value }),
          labels: { send: "Go" },
          onReady: () => (globalThis.ready = (globalThis.ready ?? 0) + 1),
          onMessage: ({ role }) => (globalThis.observedMessages ??= []).push(`${label.value} ${role}`),
        },
        {
          empty: () => h("h3", `About ${label.value}`),
          footer: () => button("Privacy", () => (label.value = "Pressed")),
        },
      ),
      h(Second),
    ];
  },
});

createApp(Page).mount("#app");
