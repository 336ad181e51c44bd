"use client";
// The chat as a component of React, and hooks that register actions and contexts. See react.d.ts.
import { Component, Fragment, createContext, createElement, useContext, useEffect, useInsertionEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import "./element.js";
import { attach, createApply, createScope, createStateStore, end, pageScope, placesOf, shapeOf, withNewest } from "./scope.js";

const Scope = createContext(pageScope);

/** Returns a ref that contains the newest committed value. */
function useNewest(value) {
  const newest = useRef(value);
  useInsertionEffect(() => {
    newest.current = value;
  });
  return newest;
}

/** Creates a store of one value for `useSyncExternalStore`. */
function createStore(value) {
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      value = next;
      [...listeners].forEach((listener) => listener());
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Creates an outlet: the list of cards that a component draws through portals. */
function createOutlet() {
  const views = createStore([]);
  let count = 0;
  return {
    views,
    draw(call, element, render) {
      const { current, subscribe, ...decisions } = call;
      const state = createStore(current());
      const view = { key: ++count, element, state, decisions, render };
      const stop = subscribe((next) => state.set(next));
      views.set([...views.get(), view]);
      return () => {
        stop();
        views.set(views.get().filter((other) => other !== view));
      };
    },
  };
}

/** An error boundary around a card. If a question cannot be drawn, the built-in view asks it. */
class Boundary extends Component {
  state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  render() {
    return this.state.hasFailed ? null : this.props.children;
  }
}

function Card({ state, decisions, render }) {
  return render({ ...useSyncExternalStore(state.subscribe, state.get), ...decisions });
}

const isAttribute = ([name]) => /^(data|aria)-/.test(name);

function Chat({ onReady, onOpen, onMessage, onApproval, onAction, onError, id, className, style, header, empty, footer, ...others }) {
  // React writes `true` as an empty text into attributes of a custom element.
  const attributes = Object.fromEntries(Object.entries(others).filter(isAttribute).map(([name, value]) => [name, value === true ? "true" : value]));
  const options = Object.fromEntries(Object.entries(others).filter((entry) => !isAttribute(entry)));
  const contents = { header, empty, footer };
  const scope = useContext(Scope);
  const node = useRef(null);
  const isShown = useRef(false);
  const detach = useRef();
  const [apply] = useState(createApply);
  const [outlet] = useState(createOutlet);
  const [slots] = useState(() => placesOf((name) => contents[name] !== undefined && contents[name] !== null));
  const listeners = useNewest({ ready: onReady, open: onOpen, message: onMessage, approval: onApproval, action: onAction, error: onError });
  // In the commit that adds the element, which reads its options right after it.
  useLayoutEffect(() => apply(node.current, { slots, ...options }));
  useLayoutEffect(() => {
    isShown.current = true;
    detach.current ??= attach(node.current, scope, outlet, (kind, detail) => listeners.current[kind]?.(detail));
  }, [scope, outlet, listeners]);
  // Not a cleanup of the layout effect: one also runs while a boundary shows its fallback, and would cancel running actions.
  useEffect(() => {
    const element = node.current;
    return () => {
      isShown.current = false;
      queueMicrotask(() => {
        // Effects also end and begin again in place.
        if (isShown.current) return;
        detach.current?.();
        detach.current = undefined;
        if (!element.isConnected) end(element);
      });
    };
  }, []);
  const views = useSyncExternalStore(outlet.views.subscribe, outlet.views.get);
  const portals = views.map(({ key, element, ...view }) =>
    createPortal(createElement(Boundary, null, createElement(Card, view)), element, String(key)),
  );
  const filled = Object.entries(slots).map(([name, place]) => createPortal(contents[name], place, name));
  return createElement(Fragment, null, createElement("leptos-assistant", { ...attributes, ref: node, id, class: className, style }), filled, portals);
}

const never = () => () => {};

export function Assistant(props) {
  // A server renders nothing, since the element would begin without the options that are functions.
  const isInBrowser = useSyncExternalStore(never, () => true, () => false);
  return isInBrowser ? createElement(Chat, props) : null;
}

export function AssistantScope({ children }) {
  const [scope] = useState(createScope);
  return createElement(Scope.Provider, { value: scope }, children);
}

export function useAssistantAction(action, deps) {
  const scope = useContext(Scope);
  const newest = useNewest(action);
  useEffect(
    () => scope.add((chat, outlet) => chat.registerAction(withNewest(() => newest.current, outlet.draw))),
    [scope, newest, ...(deps ?? [shapeOf(action)])],
  );
}

export function useAssistantContext(description, value) {
  const scope = useContext(Scope);
  const newest = useNewest(value);
  useEffect(() => {
    const read = () => (typeof newest.current === "function" ? newest.current() : newest.current);
    return scope.add((chat) => chat.registerContext(description, read));
  }, [scope, newest, description]);
}

export function useAssistant() {
  const scope = useContext(Scope);
  return useSyncExternalStore(scope.subscribe, scope.chat, () => undefined);
}

export function useAssistantState(name) {
  const scope = useContext(Scope);
  const store = useMemo(() => createStateStore(scope, name), [scope, name]);
  return useSyncExternalStore(store.subscribe, store.get, () => undefined);
}
