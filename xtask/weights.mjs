// Prints which crates the code of a WebAssembly module comes from. The module must still have its name section.
// `node xtask/weights.mjs MODULE...`

import { readFileSync } from "node:fs";

const ROWS = 16;
const SECTION = { custom: 0, import: 2, code: 10, data: 11 };
const FUNCTION_NAMES = 1;

/** Reads the binary format: little-endian base 128 numbers, counted strings. */
class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }
  number() {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  }
  text() {
    const length = this.number();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }
  part(length) {
    this.at += length;
    return new Reader(this.bytes, this.at - length, this.at);
  }
}

/** The functions of a module with name and size, and the size of its data. */
function functions(bytes) {
  const reader = new Reader(bytes, 8);
  const sizes = [];
  const names = new Map();
  let imported = 0;
  let data = 0;
  while (reader.at < reader.end) {
    const id = reader.bytes[reader.at++];
    const section = reader.part(reader.number());
    if (id === SECTION.import) imported = importedFunctions(bytes);
    if (id === SECTION.data) data = section.end - section.at;
    if (id === SECTION.code) {
      for (let count = section.number(); count > 0; count--) {
        const length = section.number();
        section.part(length);
        sizes.push(length);
      }
    }
    if (id === SECTION.custom && section.text() === "name") {
      while (section.at < section.end) {
        const kind = section.bytes[section.at++];
        const part = section.part(section.number());
        if (kind !== FUNCTION_NAMES) continue;
        for (let count = part.number(); count > 0; count--) names.set(part.number(), part.text());
      }
    }
  }
  return { data, list: sizes.map((size, index) => ({ size, name: names.get(imported + index) ?? "" })) };
}

function importedFunctions(bytes) {
  return WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(({ kind }) => kind === "function").length;
}

/** The name in the source, from `_ZN` and the lengths of its pieces. */
function plain(mangled) {
  let rest = mangled.match(/^_?_ZN(.*)E/)?.[1];
  if (rest === undefined) return mangled;
  const pieces = [];
  for (let length; (length = Number.parseInt(rest, 10)); ) {
    const start = String(length).length;
    pieces.push(rest.slice(start, start + length));
    rest = rest.slice(start + length);
  }
  const signs = { LT: "<", GT: ">", BP: "*", RF: "&", LP: "(", RP: ")", C: ",", SP: "@", u20: " ", u5b: "[", u5d: "]", u7b: "{", u7d: "}", u27: "'" };
  const words = pieces.map((piece) => piece.replace(/^_(?=\$)/, "").replace(/\$(\w+?)\$/g, (all, sign) => signs[sign] ?? all).replaceAll("..", "::"));
  return words.join("::");
}

/** The crate that a function was written in: the first path in its name. */
function crate(mangled) {
  const name = plain(mangled);
  const path = name.replace(/^[<&*\[(]*(?:mut |dyn |const )*/, "").match(/^([a-z_]\w*)(?:\[\w+\])?::/i);
  return path ? path[1] : "(other)";
}

for (const file of process.argv.slice(2)) {
  const { data, list } = functions(readFileSync(file));
  const crates = new Map([["(data)", data]]);
  for (const { name, size } of list) crates.set(crate(name), (crates.get(crate(name)) ?? 0) + size);
  const rows = [...crates].sort((a, b) => b[1] - a[1]);
  const all = rows.reduce((sum, [, size]) => sum + size, 0);
  console.log(`\nWhat weighs most in ${file} (${all.toLocaleString("en")} bytes of code and data)`);
  for (const [name, size] of rows.slice(0, ROWS)) {
    console.log(`  ${name.padEnd(30)}${size.toLocaleString("en").padStart(10)} ${((100 * size) / all).toFixed(1).padStart(5)} %`);
  }
}
