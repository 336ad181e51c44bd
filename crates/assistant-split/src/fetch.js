/** The timeout for a part, in milliseconds. */
const LATEST = 30_000;

/**
 * Fetches a part of the program. Only the part that was split from this build fits: after an update of the site, its
 * address has another one, which the browser refuses. A stale cache is bypassed by a second request.
 */
export async function fetchPart(url, integrity) {
  const read = async (cache) => {
    const response = await fetch(url, { integrity, cache, signal: AbortSignal.timeout(LATEST) });
    if (!response.ok) throw new Error(`${response.status}`);
    // Not streamed: some servers send a type other than `application/wasm`.
    return response.arrayBuffer();
  };
  return read("default").catch((error) => {
    if (error.name === "TimeoutError") throw error;
    return read("reload");
  });
}
