// Prints figures as tables in markdown, in the format of docs/benchmarks.md.

const MEBI = 1024 * 1024;

/** The columns of the scenes: name, function that reads a figure, and whether its ratio is meaningful. */
const COLUMNS = [
  ["main thread, ms", ({ cpu }) => cpu.toFixed(0)],
  ["script, ms", ({ script }) => script.toFixed(0)],
  ["style and layout, ms", ({ layout }) => layout.toFixed(0)],
  ["longest task, ms", ({ longest }) => longest.toFixed(0)],
  ["tasks over 50 ms", ({ long }) => String(long)],
  ["nodes added", ({ nodes }) => nodes.toLocaleString("en")],
  ["JS heap, MiB", ({ heap }) => (heap / MEBI).toFixed(1)],
  ["wasm, MiB", ({ wasm }) => (wasm ? (wasm / MEBI).toFixed(1) : "")],
];

/** All scenes: the bare page's figures, the demo's, and the ratio of the second to the first. */
export function scenes(results) {
  const rows = results.flatMap(({ name, bare, demo }) => [
    [name, "bare", ...COLUMNS.map(([, read]) => read(bare)), ""],
    ["", "demo", ...COLUMNS.map(([, read]) => read(demo)), ratio(demo.cpu, bare.cpu)],
  ]);
  return table(["scene", "page", ...COLUMNS.map(([name]) => name), "ratio of CPU"], rows);
}

/** The cost of a key in an empty thread and in a long one. */
export function keys(results) {
  const rows = results.flatMap(({ name, bare, demo }) =>
    [["bare", bare], ["demo", demo]].map(([page, { keyCpu, slowestKey, cpu }]) => [
      name,
      page,
      keyCpu.toFixed(2),
      slowestKey.toFixed(0),
      cpu.toFixed(0),
    ]),
  );
  return table(["scene", "page", "CPU of a key, ms", "slowest key to paint, ms", "CPU of the answer with keys, ms"], rows);
}

/** The first load of each page. */
export function loads(results) {
  const rows = Object.entries(results).map(([name, { gzip, all, usable, answered }]) => [
    name,
    (gzip / 1000).toFixed(1),
    (all / 1000).toFixed(1),
    usable.toFixed(0),
    answered.toFixed(0),
    ratio(answered, results.bare.answered),
  ]);
  return table(["page", "KB gzip until usable", "until answered", "usable after, ms", "answered after, ms", "ratio"], rows);
}

const ratio = (one, other) => (one / other).toFixed(2);

function table(head, rows) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length), 4));
  const line = (cells, pad) => `| ${cells.map((cell, column) => pad(cell, widths[column], column)).join(" | ")} |`;
  const words = (cell, width, column) => (column < 2 ? cell.padEnd(width) : cell.padStart(width));
  const rule = line(head, (_, width, column) => (column < 2 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(head, words), rule, ...rows.map((row) => line(row, words))].join("\n");
}
