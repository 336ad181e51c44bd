// Prints how large the files of a folder are: as they are, and compressed as a server would send them.
// `node xtask/sizes.mjs FOLDER...`

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const KINDS = [".wasm", ".js", ".css"];

/** Raw, gzip and brotli bytes of a text or module. */
function measure(bytes) {
  return [bytes.length, zlib.gzipSync(bytes, { level: 9 }).length, zlib.brotliCompressSync(bytes).length];
}

function row(name, sizes) {
  console.log(`${name.padEnd(44)}${sizes.map((size) => size.toLocaleString("en").padStart(12)).join("")}`);
}

for (const folder of process.argv.slice(2)) {
  console.log(`\n${folder.padEnd(44)}${["raw", "gzip", "brotli"].map((word) => word.padStart(12)).join("")}`);
  const total = [0, 0, 0];
  for (const kind of KINDS) {
    const names = readdirSync(folder, { recursive: true }).filter((name) => path.extname(name) === kind);
    for (const name of names.sort()) {
      const sizes = measure(readFileSync(path.join(folder, name)));
      sizes.forEach((size, index) => (total[index] += size));
      row(`  ${name}`, sizes);
    }
  }
  row("  together", total);
}
