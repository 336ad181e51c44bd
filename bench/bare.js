// The page to compare with: reads the same stream and shows all of its text, and does nothing else. Once a frame what has
// come is appended to one text node. No markdown, no cards, no state: no front end can cost less.

const text = document.getElementById("out").appendChild(new Text());
const composer = document.getElementById("composer");
const agent = new URLSearchParams(location.search).get("agent");

let waiting = "";

function show(more) {
  if (!waiting) requestAnimationFrame(append);
  waiting += more;
}

function append() {
  text.appendData(waiting);
  waiting = "";
}

function take(event) {
  if (event.delta) show(event.delta);
  else if (event.type === "TOOL_CALL_RESULT") show(event.content);
  else if (event.type === "MESSAGES_SNAPSHOT") show(event.messages.map(({ content }) => content).join("\n"));
}

async function ask(content) {
  const input = {
    threadId: "thread",
    runId: crypto.randomUUID(),
    state: {},
    messages: [{ id: crypto.randomUUID(), role: "user", content }],
    tools: [],
    context: [],
    forwardedProps: {},
  };
  const answer = await fetch(agent, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(input),
  });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop();
    for (const frame of frames) take(JSON.parse(frame.slice("data: ".length)));
  }
}

composer.addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  show(`${composer.value}\n`);
  ask(composer.value);
  composer.value = "";
});
