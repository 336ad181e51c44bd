/** The timeout for a part, in milliseconds. */
const LATEST = 30_000;

/**
 * Fetches and compiles a part of the program. Only the part that was split from this build fits: after an update of the
 * site, its address has another one, which the browser refuses. A stale cache is bypassed by a second request.
 */
export async function fetchPart(url, integrity) {
  const compile = async (cache) => {
    const response = await fetch(url, { integrity, cache, signal: AbortSignal.timeout(LATEST) });
    if (!response.ok) throw new Error(`${response.status}`);
    // Copies nothing to the page, and lets the browser cache the compiled code.
    if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
    // Some servers send another type.
    return WebAssembly.compile(await response.arrayBuffer());
  };
  return compile("default").catch((error) => {
    if (error.name === "TimeoutError") throw error;
    return compile("reload");
  });
}
