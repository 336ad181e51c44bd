// Cards, registrations and options as components of React, for framework-components.spec.mjs.
import { Assistant, AssistantScope, useAssistantAction, useAssistantContext, useAssistantState } from "leptos-assistant/react";
import { Activity, StrictMode, Suspense, lazy, useState } from "react";
import { createRoot } from "react-dom/client";

const AGENT = new URLSearchParams(location.search).get("agent");

function Approval({ call }) {
  const [count, setCount] = useState(0);
  return (
    <div>
      <p>Refund {call.argsValue.order}?</p>
      <button type="button" aria-disabled={!call.canApprove} onClick={() => call.approve()}>
        Do it
      </button>
      <button type="button" onClick={() => setCount(count + 1)}>
        Counted {count}
      </button>
      <button type="button" onClick={() => setTimeout(() => globalThis.attempt(() => call.approve()))}>
        Do it later
      </button>
    </div>
  );
}

function Card({ call }) {
  if (call.args?.order === "broken") throw new Error("no card today");
  return <p>Refund of {call.args?.order}: {call.phase}</p>;
}

/** Pays at once, or for the order "slow" once the test proceeds. */
async function refund(args) {
  (globalThis.ran ??= []).push(args);
  if (args.order !== "slow") return undefined;
  await new Promise((done) => (globalThis.finish = done));
  return "paid";
}

/** A route that the test loads. */
const Route = lazy(() => new Promise((done) => (globalThis.arrive = () => done({ default: () => <p>The route</p> }))));

function Actions() {
  useAssistantContext("The page", () => location.pathname);
  useAssistantAction({
    name: "refund",
    approval: "always",
    parameters: { type: "object" },
    handler: refund,
    render: (call) => <Card call={call} />,
    renderApproval: (call) => {
      if (call.argsValue.order === "undrawn") throw new Error("no approval today");
      return <Approval call={call} />;
    },
  });
  return null;
}

function Followed() {
  const state = useAssistantState("state");
  return <p>State: {state?.of ?? "none"}</p>;
}

/** Another chat of the page's scope, which begins once it is opened. */
function Third({ mode }) {
  return (
    <Activity mode={mode}>
      <Assistant id="three" url={AGENT} label="Third" layout="popup" onReady={() => (globalThis.thirdReady = (globalThis.thirdReady ?? 0) + 1)} />
    </Activity>
  );
}

function Page() {
  const [isActive, setActive] = useState(true);
  const [label, setLabel] = useState("First");
  const [headingOffset, setOffset] = useState(2);
  const [third, setThird] = useState();
  const [hasRoute, setRoute] = useState(false);
  return (
    <>
      {isActive && <Actions />}
      <button onClick={() => setActive(!isActive)}>Toggle actions</button>
      <button onClick={() => setLabel("Renamed")}>Rename</button>
      <button onClick={() => setOffset(3)}>Lower headings</button>
      <button onClick={() => setThird(third ? undefined : "visible")}>Toggle third</button>
      <button onClick={() => setThird(third === "visible" ? "hidden" : "visible")}>Hide or show third</button>
      <button onClick={() => setRoute(true)}>Open a route</button>
      <Followed />
      {third && <Third mode={third} />}
      <Suspense fallback={<p>Loading the route</p>}>
        {hasRoute && <Route />}
        <Assistant
          id="one"
          url={AGENT}
          label={label}
          headingOffset={headingOffset}
          highlight={(code) => [[code, label]]}
          headers={() => ({ "x-label": label })}
          labels={{ send: "Go" }}
          empty={<h3>About {label}</h3>}
          footer={<button onClick={() => setLabel("Pressed")}>Privacy</button>}
          onReady={() => (globalThis.ready = (globalThis.ready ?? 0) + 1)}
          onMessage={({ role }) => (globalThis.observedMessages ??= []).push(`${label} ${role}`)}
        />
      </Suspense>
      <AssistantScope>
        <Assistant id="two" url={AGENT} label="Second" data-la-theme="dark" aria-description="The second chat" />
      </AssistantScope>
    </>
  );
}

createRoot(document.getElementById("app")).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
