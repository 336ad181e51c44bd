// A chat that does what an agent says and what any event asks for. It shows that the attacks work where nothing is done against them.

const chat = document.getElementById("chat");
const [cards, texts] = [chat.appendChild(document.createElement("div")), chat.appendChild(document.createElement("div"))];
const url = new URLSearchParams(location.search).get("agent");
const actions = new Map();
let messages = [];
let calls = [];

globalThis.register = (action) => {
  actions.set(action.name, action);
  return () => actions.delete(action.name);
};

globalThis.fresh = () => {
  messages = [];
  calls = [];
  cards.replaceChildren();
  texts.replaceChildren();
};

globalThis.ask = () => run({ id: crypto.randomUUID(), role: "user", content: "Go" });

async function run(...more) {
  messages.push(...more);
  const body = { threadId: "t", runId: crypto.randomUUID(), messages, tools: [], context: [], state: {}, forwardedProps: {} };
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  let rest = "";
  for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + part).split("\n\n");
    rest = lines.pop();
    for (const line of lines) apply(JSON.parse(line.slice("data: ".length)));
  }
}

function apply(event) {
  const call = calls.find(({ id }) => id === event.toolCallId);
  if (event.type === "TOOL_CALL_START") {
    if (call) Object.assign(call, { name: event.toolCallName, args: "" });
    else calls.push({ id: event.toolCallId, name: event.toolCallName, args: "" });
  }
  if (event.type === "TOOL_CALL_ARGS") call.args += event.delta;
  if (event.type === "TOOL_CALL_RESULT") call.done = true;
  if (event.type === "TEXT_MESSAGE_CONTENT") {
    const text = texts.appendChild(document.createElement("div"));
    text.dataset.role = "assistant";
    text.innerText = event.delta;
  }
  if (event.type === "MESSAGES_SNAPSHOT") {
    const listed = event.messages.flatMap(({ toolCalls = [] }) => toolCalls);
    calls = listed.map(({ id, function: { name, arguments: args } }) => ({ id, name, args, done: false }));
  }
  draw();
}

function draw() {
  cards.replaceChildren();
  for (const call of calls.filter(({ done }) => !done)) {
    const card = cards.appendChild(document.createElement("div"));
    card.className = "card";
    card.dataset.toolName = call.name;
    card.setAttribute("role", "group");
    const [title, args, buttons] = ["h3", "pre", "p"].map((tag) => card.appendChild(document.createElement(tag)));
    title.textContent = `Run ${call.name}?`;
    args.textContent = call.args;
    for (const words of ["Approve", "Deny"]) {
      const button = buttons.appendChild(document.createElement("button"));
      button.textContent = words;
      button.addEventListener("click", () => decide(call, words === "Approve"));
    }
  }
}

async function decide(call, approved) {
  call.done = true;
  draw();
  const ran = approved ? await actions.get(call.name)?.handler(parsed(call.args)) : "denied";
  await run({ id: crypto.randomUUID(), role: "tool", toolCallId: call.id, content: String(ran) });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
