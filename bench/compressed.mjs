// Serves the pages of the first load with compressed files, as a web server for them does.

import { readFile } from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import zlib from "node:zlib";

import { ROOT, listening } from "../e2e/support/servers.mjs";
import { TYPES } from "../xtask/serve.mjs";

/** The folders, by the beginning of the address. */
const FOLDERS = [
  ["/embed/", "dist/embed"],
  ["/deep-chat/", "node_modules/deep-chat/dist"],
  ["/", "bench/load"],
];

export async function compressed() {
  /** The compressed files, by address. */
  const files = new Map();
  const load = async (address) => {
    const [prefix, folder] = FOLDERS.find(([prefix]) => address.startsWith(prefix));
    const bytes = await readFile(path.join(ROOT, folder, address.slice(prefix.length)));
    return zlib.gzipSync(bytes, { level: 9 });
  };
  const server = http.createServer(async (request, answer) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (!files.has(pathname)) files.set(pathname, load(pathname));
    const body = await files.get(pathname).catch(() => undefined);
    if (!body) return answer.writeHead(404).end();
    const type = TYPES[path.extname(pathname)];
    answer.writeHead(200, { "content-type": type, "content-encoding": "gzip", "content-length": body.length }).end(body);
  });
  return listening(server);
}
