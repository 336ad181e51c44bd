/** Then a part is not waited for any longer, in milliseconds. */
const LATEST = 30_000;

/**
 * Fetches a part of the program. Only the one that was cut out of this very program fits: after an update of the site, the
 * one at its place is another, and the browser refuses it. What a cache holds from before is asked for once more, past it.
 */
export async function fetchPart(url, integrity) {
  const read = async (cache) => {
    const response = await fetch(url, { integrity, cache, signal: AbortSignal.timeout(LATEST) });
    if (!response.ok) throw new Error(`${response.status}`);
    // Not as a stream: servers that give another type than `application/wasm` do as well.
    return response.arrayBuffer();
  };
  return read("default").catch((error) => {
    if (error.name === "TimeoutError") throw error;
    return read("reload");
  });
}
