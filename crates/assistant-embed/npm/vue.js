// The chat as a component of Vue, and composables that register actions and contexts. See vue.d.ts.
import { Teleport, defineComponent, h, inject, onActivated, onBeforeUnmount, onDeactivated, onErrorCaptured, onMounted, onUnmounted, provide, shallowRef, toValue, watch } from "vue";
import "./element.js";
import { attach, createApply, createScope, createStateStore, end, pageScope, placesOf, shapeOf, withNewest } from "./scope.js";

const SCOPE = Symbol("leptos-assistant");
const useScope = () => inject(SCOPE, pageScope);

/** The properties of the component: the options of `mount`, and the attributes of the element. */
const OPTIONS = [
  ...["url", "agent", "headers", "credentials", "label", "greeting", "highlight", "headingOffset", "mediaOrigins", "attachments"],
  ...["lang", "labels", "options", "limits", "initial", "slots", "reattach", "protocol", "model", "store", "storeName", "threadId"],
  ...["layout", "loading", "shortcut"],
];
const FLAG = { type: Boolean, default: undefined };

/**
 * The names that Vue gives render functions, also in production. An error in any other function, such as a listener,
 * does not remove the card.
 */
const DRAWS = /^(setup|render) function$|#runtime-[01]$/;

/**
 * Draws the card of a call, and contains the card's errors. If a question cannot be drawn, the built-in view asks it.
 */
const Card = defineComponent({
  props: ["call", "render"],
  setup({ call, render }) {
    const { current, subscribe, ...decisions } = call;
    const state = shallowRef(current());
    const hasFailed = shallowRef(false);
    const fail = (error) => {
      hasFailed.value = true;
      reportError(error);
    };
    onUnmounted(subscribe((next) => (state.value = next)));
    onErrorCaptured((error, _, place) => {
      if (!DRAWS.test(place)) return true;
      fail(error);
      return false;
    });
    return () => {
      if (hasFailed.value) return null;
      try {
        return render({ ...state.value, ...decisions });
      } catch (error) {
        fail(error);
        return null;
      }
    };
  },
});

export const Assistant = defineComponent({
  name: "Assistant",
  inheritAttrs: false,
  props: { ...Object.fromEntries(OPTIONS.map((name) => [name, null])), resumes: FLAG, shadow: FLAG, open: FLAG },
  emits: ["ready", "open", "update:open", "message", "approval", "action", "error"],
  setup(props, { attrs, emit, slots }) {
    const scope = useScope();
    const isInBrowser = shallowRef(false);
    const views = shallowRef([]);
    const apply = createApply();
    let count = 0;
    let node;
    let detach;
    let places = {};
    const options = () => ({ ...props, slots: props.slots ?? places });
    const outlet = {
      draw(call, element, render) {
        const view = { key: ++count, call, element, render };
        views.value = [...views.value, view];
        return () => (views.value = views.value.filter((other) => other !== view));
      },
    };
    const send = (kind, detail) => {
      emit(kind, detail);
      if (kind === "open") emit("update:open", detail);
    };
    // Called before the element reads its options, right after it was added.
    const take = (element) => {
      if (!element || node) return;
      node = element;
      apply(node, options());
      detach = attach(node, scope, outlet, send);
    };
    // A server renders nothing, since the element would begin without the options that are functions.
    onMounted(() => {
      places = placesOf((name) => slots[name]);
      isInBrowser.value = true;
    });
    watch(options, (options) => node && apply(node, options), { flush: "post" });
    onUnmounted(() => {
      if (!node) return;
      detach();
      end(node);
    });
    return () =>
      isInBrowser.value && [
        h("leptos-assistant", { ...attrs, key: "chat", ref: take }),
        ...Object.entries(places).map(([name, to]) => h(Teleport, { key: name, to }, slots[name]?.())),
        ...views.value.map(({ key, call, element, render }) => h(Teleport, { key, to: element }, [h(Card, { call, render })])),
      ];
  },
});

export function provideAssistantScope() {
  provide(SCOPE, createScope());
}

/** Calls `start` while the component is mounted and active, and again when `key` has changed. `start` returns its undo. */
function useWhileActive(start, key) {
  let undo;
  const begin = () => (undo ??= start());
  const stop = () => {
    undo?.();
    undo = undefined;
  };
  onMounted(begin);
  onActivated(begin);
  onDeactivated(stop);
  onBeforeUnmount(stop);
  const again = () => {
    if (!undo) return;
    stop();
    begin();
  };
  watch(key, again, { flush: "post" });
}

/** Makes a registration while the component is mounted and active, and renews it when `key` has changed. */
function useRegistration(register, key) {
  const scope = useScope();
  useWhileActive(() => scope.add(register), key);
}

export function useAssistantAction(action) {
  const newest = () => toValue(action);
  useRegistration(
    (chat, outlet) => chat.registerAction(withNewest(newest, outlet.draw)),
    () => shapeOf(newest()),
  );
}

export function useAssistantContext(description, value) {
  const read = () => toValue(description);
  useRegistration((chat) => chat.registerContext(read(), () => toValue(value)), read);
}

export function useAssistant() {
  const scope = useScope();
  const chat = shallowRef();
  const follow = () => (chat.value = scope.chat());
  let stop;
  onMounted(() => {
    stop = scope.subscribe(follow);
    follow();
  });
  onBeforeUnmount(() => stop?.());
  return chat;
}

export function useAssistantState(name) {
  const scope = useScope();
  const read = () => toValue(name);
  const value = shallowRef();
  useWhileActive(() => {
    const store = createStateStore(scope, read());
    const stop = store.subscribe(() => (value.value = store.get()));
    return () => {
      stop();
      value.value = undefined;
    };
  }, read);
  return value;
}
