// Prints figures as tables in markdown, in the format of docs/benchmarks.md.

const MEBI = 1024 * 1024;

/** The aims of the scenes. */
const AIMS = {
  "markdown answer": "ratio ≤ 1.05",
  "code block": "ratio < 1, no task over 50 ms",
  "tool arguments": "ratio < 1, no task over 50 ms",
  "tool calls": "ratio ≤ 1.5, ≤ 2,500 nodes",
  "thread of 1,000 opened": "ratio ≤ 1.25",
  "answer and keys after 1,000": "as in an empty thread",
};

/** The pages of the first load by their names. */
const PAGES = { bare: "bare page", embed: "npm package", "deep-chat": "deep-chat" };

const milliseconds = (time) => time.toFixed(0);

/** The columns of a page, in milliseconds of CPU: name, and function that reads the figure. */
const TIMES = [
  ["main thread", ({ cpu }) => milliseconds(cpu)],
  ["script", ({ script }) => milliseconds(script)],
  ["style and layout", ({ layout }) => milliseconds(layout)],
];

/** All scenes: the CPU time of both pages, the ratio of the demo's to the bare page's, and other figures of the demo. */
export function scenes(results) {
  const rows = results.map(({ name, bare, demo }) => [
    name,
    milliseconds(bare.cpu),
    milliseconds(demo.cpu),
    ratio(demo.cpu, bare.cpu),
    milliseconds(demo.longest),
    String(demo.long),
    demo.nodes.toLocaleString("en"),
    AIMS[name] ?? "none",
  ]);
  const head = ["scene", "bare page, ms", "demo, ms", "ratio", "longest task, ms", "tasks over 50 ms", "nodes added", "aim"];
  return table(head, rows, 1);
}

/** The parts of the CPU time of each scene, and the memory afterwards. */
export function times(results) {
  const rows = results.flatMap(({ name, bare, demo }) =>
    [["bare page", bare], ["demo", demo]].map(([page, figures]) => [
      name,
      page,
      ...TIMES.map(([, read]) => read(figures)),
      (figures.heap / MEBI).toFixed(1),
      figures.wasm ? (figures.wasm / MEBI).toFixed(1) : "none",
    ]),
  );
  return table(["scene", "page", ...TIMES.map(([name]) => `${name}, ms`), "JS heap, MiB", "wasm, MiB"], rows);
}

/** The cost of a key in an empty thread and in a long one. */
export function keys(results) {
  const rows = results.flatMap(({ name, bare, demo }) =>
    [["bare page", bare], ["demo", demo]].map(([page, { keyCpu, slowestKey, cpu }]) => [
      name,
      page,
      keyCpu.toFixed(2),
      slowestKey.toFixed(0),
      milliseconds(cpu),
    ]),
  );
  return table(["scene", "page", "CPU of a key, ms", "slowest key to paint, ms", "CPU of the answer with keys, ms"], rows);
}

/** The first load of each page. */
export function loads(results) {
  const rows = Object.entries(results).map(([name, { gzip, all, usable, answered }]) => [
    PAGES[name] ?? name,
    (gzip / 1000).toFixed(1),
    (all / 1000).toFixed(1),
    milliseconds(usable),
    milliseconds(answered),
    ratio(answered, results.bare.answered),
  ]);
  const head = ["page", "KB gzip until usable", "KB until answered", "usable after, ms", "answered after, ms", "ratio of answered"];
  return table(head, rows, 1);
}

const ratio = (one, other) => (one / other).toFixed(2);

/** Formats a table, with text in its first `texts` columns and figures in the others. */
function table(head, rows, texts = 2) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length), 4));
  const line = (cells, pad) => `| ${cells.map((cell, column) => pad(cell, widths[column], column)).join(" | ")} |`;
  const align = (cell, width, column) => (column < texts ? cell.padEnd(width) : cell.padStart(width));
  const rule = line(head, (_, width, column) => (column < texts ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head, align), rule, ...rows.map((row) => line(row, align))].join("\n");
}
