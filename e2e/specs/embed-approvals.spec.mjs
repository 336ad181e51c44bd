// The functions of a page's store of approvals are called one after the other, and a removal outlasts an addition that
// ends late.

import assert from "node:assert/strict";
import { test } from "node:test";

import { approvalStore } from "../../crates/assistant-embed/npm/approvals.js";

/** Waits for the page's next steps, without a timer. */
const steps = () => new Promise((done) => setImmediate(done));

test("an addition that ends after its time is followed by the removals", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const complaints = mock.method(console, "error", () => {});
  const calls = [];
  let end;
  const store = {
    load: () => [],
    change(added, removed) {
      calls.push([added.map(({ id }) => id), removed]);
      return calls.length === 1 ? new Promise((done) => (end = done)) : undefined;
    },
  };
  const { change } = approvalStore(store, (act) => act());
  change(JSON.stringify([[{ id: "a" }], []]));
  change(JSON.stringify([[], ["a"]]));
  await steps();
  assert.deepEqual(calls, [[["a"], []]]);
  mock.timers.tick(10_000);
  await steps();
  assert.deepEqual(calls.slice(1), [[[], ["a"]]], "the removal waits for ten seconds");
  assert.match(complaints.mock.calls.at(-1).arguments[0], /not answered within 10 seconds/);
  end();
  await steps();
  assert.deepEqual(calls.slice(2), [[[], ["a"]]], "and is repeated after the addition");
});
