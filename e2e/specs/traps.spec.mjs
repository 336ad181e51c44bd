// The built demo, a program in Rust alone, when a trap outside of the chat's code ends it: the chat says that it has
// stopped.

import assert from "node:assert/strict";

import { Harbor, shows } from "../support/harbor.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

const address = ({ page }) => page.url;

/** Defines in the page ways to end a program, with a module whose only function is `unreachable`. */
function prepare() {
  const code = "0061736d0100000001040160000003020100070501016600000a05010300000b";
  const bytes = Uint8Array.from(code.match(/../g), (byte) => Number.parseInt(byte, 16));
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  const dive = () => dive() + 1;
  globalThis.ways = {
    trap: f,
    // Simulates a stack overflow in the program: the innermost frame is the program's.
    stack: () => {
      try {
        dive();
      } catch (error) {
        error.stack = new Error("").stack;
        throw error;
      }
    },
  };
}

/** The console errors of a program that ends; an unreadable one has no message. */
const ENDS = { allow: [/unreachable/, /call stack|too much recursion/, /RuntimeError/, /^thrown: $/] };

for (const kind of ["trap", "stack"]) {
  chatTest(`a ${kind} outside of the chat shows that it has stopped`, { ...ENDS, address }, async (chat) => {
    const harbor = new Harbor(chat.page);
    await chat.ask("What can you do?");
    await chat.page.evaluate(prepare);
    await chat.page.evaluate((kind) => {
      const { queueMicrotask } = globalThis;
      globalThis.queueMicrotask = (...args) => {
        if (!/wasm/.test(new Error().stack)) return queueMicrotask(...args);
        globalThis.queueMicrotask = queueMicrotask;
        return globalThis.ways[kind]();
      };
    }, kind);
    await harbor.search.getByRole("button", { name: "Close search" }).click();
    const notice = chat.root.getByRole("alert");
    await shows(notice, /The chat has stopped/);
    await shows(notice, /Reload the page to continue/);
    assert.equal(await chat.root.getByRole("textbox").count(), 0, "the text box is gone");
    assert.equal(await chat.messages("user").count(), 1, "the messages stay");
    await notice.getByRole("link", { name: "Reload the page" }).click();
    await chat.page.waitForFunction(() => globalThis.ways === undefined);
    await chat.ask("What can you do?");
  });
}

chatTest("errors of other programs do not stop the chat", { ...ENDS, address, allow: [...ENDS.allow, /elsewhere/] }, async (chat) => {
  await chat.page.evaluate(prepare);
  await chat.page.evaluate(async () => {
    setTimeout(globalThis.ways.trap);
    setTimeout(() => {
      throw new RangeError("elsewhere");
    });
    Promise.reject(new WebAssembly.RuntimeError("elsewhere"));
    Promise.reject(null);
    setTimeout(() => {
      throw Object.defineProperty(new Error("elsewhere"), "stack", { get: () => globalThis.nothing.there });
    });
    globalThis.dispatchEvent(new Event("error"));
    await new Promise((done) => setTimeout(done, 100));
  });
  await chat.ask("What can you do?");
  assert.equal(await chat.root.getByText("has stopped").count(), 0);
});
