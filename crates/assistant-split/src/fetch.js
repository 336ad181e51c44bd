/** The timeout for a part, in milliseconds. */
const LATEST = 30_000;

/**
 * Fetches and compiles a part of the program. Only the part that was split from this build fits: after an update of the
 * site, its address has another one, which is refused. A stale cache is bypassed by a second request.
 */
export async function fetchPart(url, integrity) {
  return compile(url, integrity, "default").catch((error) => {
    if (error.name === "TimeoutError") throw error;
    return compile(url, integrity, "reload");
  });
}

/**
 * Compiles the part while it arrives, and compares its digest meanwhile: with the option `integrity`, `fetch` would
 * return nothing before the last byte. Pages without encryption have no digests, and use that option.
 */
async function compile(url, integrity, cache) {
  const { subtle } = globalThis.crypto;
  const response = await fetch(url, { integrity: subtle ? "" : integrity, cache, signal: AbortSignal.timeout(LATEST) });
  if (!response.ok) throw new Error(`${response.status}`);
  const copy = response.clone();
  // Some servers send another type.
  const streams = response.headers.get("content-type") === "application/wasm";
  const [module] = await Promise.all([
    streams ? WebAssembly.compileStreaming(response) : response.arrayBuffer().then((bytes) => WebAssembly.compile(bytes)),
    subtle && verify(subtle, url, integrity, copy),
  ]);
  return module;
}

/** Fails unless the response has the SHA-256 digest of `integrity`. */
async function verify(subtle, url, integrity, response) {
  const digest = new Uint8Array(await subtle.digest("SHA-256", await response.arrayBuffer()));
  if (`sha256-${btoa(String.fromCharCode(...digest))}` === integrity) return;
  throw new Error(`${url} does not have the integrity value of this build`);
}
