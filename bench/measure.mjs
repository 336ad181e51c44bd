// Measures the cost of a page: CPU time of its main thread, longest task, number of elements, memory.
//
// Times are CPU time of the renderer's main thread, not wall-clock time, so that other load on the machine matters
// little. pages.mjs performs the actions; this file only measures them.

/**
 * Starts measuring an open page. It records either the sums over all tasks or, when `traced`, each task separately;
 * tracing makes tasks slower.
 */
export async function meter(browser, page, traced) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const sums = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  const nodes = () =>
    page.evaluate(() => {
      const walker = document.createTreeWalker(document);
      let count = 0;
      while (walker.nextNode()) count++;
      return count;
    });

  /** Measures what happens while `work` runs. Times are in milliseconds, memory in bytes. */
  async function during(work) {
    if (traced) {
      const stop = await trace(browser);
      await work();
      return stop();
    }
    const [elements, before] = [await nodes(), await sums()];
    await work();
    const after = await sums();
    await session.send("HeapProfiler.collectGarbage");
    const spent = (name) => (after[name] - before[name]) * 1000;
    const memory = await page.evaluate(() => globalThis.wasmMemory?.buffer.byteLength ?? 0);
    return {
      cpu: spent("TaskDuration") - spent("DevToolsCommandDuration"),
      script: spent("ScriptDuration"),
      layout: spent("LayoutDuration") + spent("RecalcStyleDuration"),
      nodes: (await nodes()) - elements,
      heap: (await sums()).JSHeapUsedSize,
      wasm: memory,
    };
  }
  return { during };
}

/** Runs in each page before its own scripts: keeps a reference to the module's memory. */
export function keepMemory() {
  const { instantiateStreaming, instantiate } = WebAssembly;
  const keep = (made) => {
    globalThis.wasmMemory = (made.instance ?? made).exports.memory;
    return made;
  };
  WebAssembly.instantiateStreaming = async (...args) => keep(await instantiateStreaming.apply(WebAssembly, args));
  WebAssembly.instantiate = async (...args) => keep(await instantiate.apply(WebAssembly, args));
}

/** The longest task that users do not notice, in milliseconds. */
const LONG = 50;

/** Records the tasks of the page's main thread. Returns a function that stops and sums up. */
async function trace(browser) {
  const session = await browser.newBrowserCDPSession();
  const mains = new Set();
  const tasks = new Map();
  session.on("Tracing.dataCollected", ({ value }) => {
    for (const event of value) {
      const thread = `${event.pid} ${event.tid}`;
      if (event.name === "thread_name" && event.args.name === "CrRendererMain") mains.add(thread);
      if (event.name !== "ThreadControllerImpl::RunTask" || !event.tdur) continue;
      const times = tasks.get(thread) ?? [];
      times.push(event.tdur / 1000);
      tasks.set(thread, times);
    }
  });
  const ended = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  const traceConfig = { includedCategories: ["toplevel"], excludedCategories: ["*"] };
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  return async () => {
    await session.send("Tracing.end");
    await ended;
    await session.detach();
    // Chromium keeps spare renderers; the one that worked is the page's.
    const sum = (times) => times.reduce((all, time) => all + time, 0);
    const [times = []] = [...tasks].filter(([thread]) => mains.has(thread)).map(([, list]) => list).sort((a, b) => sum(b) - sum(a));
    return { longest: Math.max(0, ...times), long: times.filter((time) => time > LONG).length };
  };
}

/** The median of some numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}
