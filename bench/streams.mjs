// The answers for the measured pages: AG-UI event streams that are the same on each run and on each machine.
//
// A stream is a list of SSE frames and the time over which agent.mjs sends them. Sizes are part of the names in
// docs/benchmarks.md: change them there too.

/** Streams by name, as functions: the lists are long, so each is built on demand. */
export const STREAMS = {
  "markdown answer": () => answer(deltasOf(markdown(5_000), /\S+\s*/g), 3),
  "code block": () => answer(deltasOf(code(3_000), /\s*\w{1,6}|\s*[^\w\s]|\s+/g), 3),
  "tool arguments": () => toolArguments(200 * 1024, 24, 3),
  "tool calls": () => toolCalls(100, 3),
  thread: (input) => snapshot(1_000, input),
  "short answer": () => answer(deltasOf(markdown(500), /\S+\s*/g), 3),
};

const WORDS =
  "harbor tide crane berth ledger pilot signal depth anchor channel window quay cargo manifest current lantern reef " +
  "weather answer route simple careful between because toward without under after before several always never often " +
  "the a of to and in that it is was for on are with as at by this from or one had not but what all were when we";

/** Pseudo-random numbers between 0 and 1 (a linear congruential generator with a fixed seed). */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function chooser(seed) {
  const next = numbers(seed);
  const words = WORDS.split(" ");
  const below = (count) => Math.floor(next() * count);
  const word = () => words[below(words.length)];
  return { below, word, words: (count) => Array.from({ length: count }, word) };
}

/** An answer in markdown of about this many words: mostly prose, with the constructs that models like to write. */
export function markdown(count) {
  const { below, word, words } = chooser(1);
  const sentence = (length) => {
    const list = words(length);
    const at = below(length);
    list[at] = [`**${list[at]}**`, `*${list[at]}*`, `\`${list[at]}\``, `[${list[at]}](https://example.com/${list[at]})`][below(4)];
    list[0] = list[0][0].toUpperCase() + list[0].slice(1);
    return `${list.join(" ")}.`;
  };
  const paragraph = () => Array.from({ length: 3 + below(3) }, () => sentence(10 + below(10))).join(" ");
  const items = (mark) => Array.from({ length: 4 }, (_, index) => `${mark(index)} ${sentence(8)}`).join("\n");
  const kinds = [
    paragraph,
    paragraph,
    paragraph,
    () => `## ${words(4).join(" ")}`,
    () => items(() => "-"),
    () => items((index) => `${index + 1}.`),
    () => `> ${sentence(14)}`,
    () => `\`\`\`rust\nlet ${word()} = ${word()}(${below(100)});\nprintln!("{}", ${word()});\n\`\`\``,
    () => `| ${words(3).join(" | ")} |\n| --- | --- | --- |\n${Array.from({ length: 3 }, () => `| ${words(3).join(" | ")} |`).join("\n")}`,
  ];
  const blocks = [];
  for (let written = 0, turn = 0; written < count; turn++) {
    const block = kinds[turn % kinds.length]();
    written += block.split(/\s+/).length;
    blocks.push(block);
  }
  return `${blocks.join("\n\n").split(/(?<=\s)(?=\S)/).slice(0, count).join("").trimEnd()}\n`;
}

/** An answer that is one block of code of this many lines. */
export function code(lines) {
  const { below, word } = chooser(2);
  const kinds = [
    () => `fn ${word()}_${word()}(${word()}: &${word()}, depth: usize) -> Option<u${8 << below(4)}> {`,
    () => `    let ${word()} = self.${word()}.get(${below(1000)})?; // ${word()} ${word()}`,
    () => `    if ${word()}.${word()}() > ${below(1000)} && !${word()} { return None; }`,
    () => `    ${word()}.push_str("${word()} <${word()}> & ${word()}");`,
    () => `    Some(${word()} + ${below(256)})`,
    () => "}",
    () => "",
  ];
  return `\`\`\`rust\n${Array.from({ length: lines }, (_, line) => kinds[line % kinds.length]()).join("\n")}\n\`\`\`\n`;
}

function deltasOf(text, pattern) {
  const deltas = text.match(pattern);
  if (deltas.join("") !== text) throw new Error("the deltas are the text");
  return deltas;
}

/** Spreads frames evenly over this many seconds. `text` is the part of them that is visible in the end. */
function paced(events, seconds) {
  return { frames: events.map((event) => `data: ${JSON.stringify(event)}\n\n`), seconds };
}

function answer(deltas, seconds) {
  const messageId = "answer";
  return paced(
    [
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
      ...deltas.map((delta) => ({ type: "TEXT_MESSAGE_CONTENT", messageId, delta })),
      { type: "TEXT_MESSAGE_END", messageId },
    ],
    seconds,
  );
}

/** A call of the agent's own tool, which the page only shows: start, arguments in pieces, end, result. */
function call(number, args, piece, result) {
  const toolCallId = `call-${number}`;
  const events = [{ type: "TOOL_CALL_START", toolCallId, toolCallName: "write_report" }];
  for (let at = 0; at < args.length; at += piece) {
    events.push({ type: "TOOL_CALL_ARGS", toolCallId, delta: args.slice(at, at + piece) });
  }
  events.push({ type: "TOOL_CALL_END", toolCallId });
  events.push({ type: "TOOL_CALL_RESULT", messageId: `result-${number}`, toolCallId, content: result });
  return events;
}

function toolArguments(bytes, piece, seconds) {
  const { below, words } = chooser(3);
  const rows = [];
  for (let size = 0; size < bytes - 200; ) {
    const row = { id: rows.length, title: words(4).join(" "), text: words(16).join(" "), depth: below(1000) / 8, open: below(2) === 0 };
    size += JSON.stringify(row).length + 1;
    rows.push(row);
  }
  const ended = { type: "TEXT_MESSAGE_CHUNK", messageId: "answer", role: "assistant", delta: "The report is written." };
  return paced([...call(0, JSON.stringify({ name: "report", rows }), piece, '{"written":true}'), ended], seconds);
}

function toolCalls(count, seconds) {
  const { words } = chooser(4);
  const calls = Array.from({ length: count }, (_, number) => {
    const args = JSON.stringify({ query: words(6).join(" "), page: number, filters: { kind: words(1)[0], open: true } });
    const result = JSON.stringify({ found: number, rows: Array.from({ length: 3 }, () => ({ title: words(5).join(" ") })) });
    return call(number, args, 24, result);
  });
  return paced(calls.flat(), seconds);
}

/** A thread of this many messages in one event, user and agent alternating. */
function snapshot(count, { messages: [last] }) {
  const { below, words } = chooser(5);
  const messages = Array.from({ length: count - 1 }, (_, index) => {
    const role = index % 2 ? "assistant" : "user";
    const content = index % 2 ? markdown(40 + below(60)) : `${words(12).join(" ")}?`;
    return { id: `old-${index}`, role, content };
  });
  return paced([{ type: "MESSAGES_SNAPSHOT", messages: [...messages, last] }], 0);
}
