// The pages that are compared, all under the same policy, and how a stream is requested in them: the bare page and the
// built demo.

import path from "node:path";

import { DESKTOP } from "../e2e/support/browser.mjs";
import { ROOT, demo } from "../e2e/support/servers.mjs";
import { serve } from "../xtask/serve.mjs";
import { keepMemory } from "./measure.mjs";

/** Idle time before and after a measurement, so that timers and deferred work count, too. */
const REST_MS = 400;

const COMPOSER = "[data-assistant-chat] textarea";

/** Serves the pages. */
export async function pages() {
  const servers = { bare: await serve({ root: path.join(ROOT, "bench") }), demo: await demo() };
  const kind = (name, file, composer) => ({
    name,
    address: (agent) => `${servers[name].url}${file}?${new URLSearchParams({ agent: agent.url })}`,
    composer,
  });
  return {
    bare: kind("bare", "bare.html", "#composer"),
    demo: kind("demo", "", COMPOSER),
    close: () => Promise.all(Object.values(servers).map((server) => server.close())),
  };
}

/** Opens a new page of a kind, ready for a message; `wasm` replaces its module. */
export async function open(browser, kind, agent, { wasm } = {}) {
  const context = await browser.newContext({ viewport: DESKTOP });
  const page = await context.newPage();
  await page.addInitScript(keepMemory);
  if (wasm) await page.route("**/*.wasm", (route) => route.fulfill({ contentType: "application/wasm", body: wasm }));
  await page.goto(kind.address(agent));
  await page.locator(kind.composer).waitFor();
  await rest();
  return { page, close: () => context.close() };
}

export const rest = () => new Promise((resolve) => setTimeout(resolve, REST_MS));

/** Sends the name of a stream and waits until all of it is on the page. The page is not queried meanwhile. */
export async function ask(page, kind, agent, stream) {
  const ended = agent.ended();
  await page.locator(kind.composer).fill(stream);
  await page.keyboard.press("Enter");
  await ended;
  await settled(page);
}

/** Waits until two frames have passed and nothing runs. */
async function settled(page) {
  const busy = () =>
    page.evaluate(async () => {
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
      return Boolean(document.querySelector("[data-assistant-chat][data-running]"));
    });
  while (await busy());
  await rest();
}
