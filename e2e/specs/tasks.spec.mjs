// The user's tasks, each by mouse and by keyboard alone, with the clicks and the keys that they take at most. Typed texts
// are not counted, and neither is what precedes a task, such as the request that is approved.

import assert from "node:assert/strict";

import { eventually } from "../support/chat.mjs";
import { shows } from "../support/harbor.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const chatTest = suite(async (open) => {
  const page = await demo();
  open.push(page);
  return { page };
});

/** Counts the user's clicks and keys from now on; keys that enter a character do not count. */
async function counting(page) {
  await page.evaluate(() => {
    const counts = { clicks: 0, keys: 0 };
    globalThis.counts = counts;
    addEventListener("click", (event) => event.isTrusted && event.detail > 0 && counts.clicks++, true);
    addEventListener("keydown", (event) => event.isTrusted && !/^(.|Shift)$/.test(event.key) && counts.keys++, true);
  });
  return () => page.evaluate(() => globalThis.counts);
}

/** A way to use a control. */
class Way {
  constructor(chat) {
    this.chat = chat;
  }

  /** Writes in a field that the preceding step has given the focus, so that it takes neither a click nor a key. */
  async write(field, text, { replaces = false } = {}) {
    await this.chat.hasFocus(field, "the field has the focus");
    if (replaces) await field.evaluate((node) => node.select());
    await this.chat.page.keyboard.insertText(text);
  }
}

/** Uses controls by mouse. */
class Mouse extends Way {
  async use(control) {
    await counts(control);
    await control.click();
  }

  /** Opens the editor of the user's last message. */
  async edit(message) {
    await message.hover();
    await this.use(this.chat.root.locator(".la-message-edit").last());
  }

  /** Ends an input with its button. */
  submit(button) {
    return this.use(button);
  }
}

/** Uses controls by keys, from wherever the focus is. */
class Keys extends Way {
  /** Opens the editor of the user's last message from the text box, which has the focus. */
  edit() {
    return this.chat.page.keyboard.press("ArrowUp");
  }

  /** Ends an input with Enter. */
  submit() {
    return this.chat.page.keyboard.press("Enter");
  }

  async use(control) {
    await this.reach(control);
    await counts(control);
    await this.chat.page.keyboard.press("Enter");
  }

  /** Presses Shift+Tab or Tab until the control has the focus: what is above the composer is before it. */
  async reach(control) {
    await control.waitFor();
    const focused = () => control.evaluate((node) => node === document.activeElement);
    for (let steps = 0; steps < 80 && !(await focused()); steps++) {
      const above = await control.evaluate((node) => {
        const now = document.activeElement ?? document.body;
        return now === document.body || Boolean(now.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING);
      });
      await this.chat.page.keyboard.press(above ? "Shift+Tab" : "Tab");
    }
    assert.ok(await focused(), "the control is reached");
  }
}

/** The time for which a control has to be at rest: a request has to be for half a second, and is inspected at intervals. */
const REST_MS = 750;

/** Waits until a control decides: it is enabled, and has been in its place for `REST_MS`. */
async function counts(control) {
  await control.waitFor();
  await control.evaluate(
    (node, rest) =>
      new Promise((done, fail) => {
        const end = performance.now() + 20_000;
        let [state, since] = ["", 0];
        const look = (now) => {
          const { x, y, width, height } = node.getBoundingClientRect();
          const isEnabled = !node.hasAttribute("aria-disabled");
          const found = [x, y, width, height, isEnabled].join(" ");
          if (found !== state) [state, since] = [found, now];
          if (isEnabled && now - since >= rest) done();
          else if (now > end) fail(new Error("the control does not come to rest"));
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    REST_MS,
  );
}

const button = (place, name) => place.getByRole("button", { name, exact: typeof name === "string" });
const weather = (chat) => chat.card("get_weather").last();
const askForWeather = async (chat) => {
  await chat.send("What's the weather?");
  await button(weather(chat), /^Approve/).waitFor();
};

/** The tasks: what precedes them, the steps by either way, the proof, and the most clicks and keys. */
const TASKS = {
  ask: {
    async steps(chat, way) {
      await way.use(button(chat.root, "What's the weather?"));
    },
    proof: (chat) => weather(chat).waitFor(),
    most: { clicks: 1, keys: 9 },
  },
  approve: {
    before: askForWeather,
    steps: (chat, way) => way.use(button(weather(chat), /^Approve/)),
    proof: (chat) => chat.status(weather(chat), "complete"),
    most: { clicks: 1, keys: 5 },
  },
  "deny with a reason": {
    before: askForWeather,
    async steps(chat, way) {
      await way.use(button(weather(chat), "Deny"));
      await way.write(weather(chat).getByLabel("Reason (optional)"), "Not now");
      await way.use(button(weather(chat), "Deny"));
    },
    proof: (chat) => chat.status(weather(chat), "failed"),
    most: { clicks: 2, keys: 6 },
  },
  "edit a request": {
    before: askForWeather,
    async steps(chat, way) {
      await way.use(weather(chat).locator(".la-approval-more > summary"));
      await way.use(button(weather(chat), "Change…"));
      await way.write(weather(chat).getByRole("textbox"), "Oslo", { replaces: true });
      await way.use(button(weather(chat), /^Approve/));
    },
    proof: (chat) => chat.says("in Oslo"),
    most: { clicks: 3, keys: 7 },
  },
  stop: {
    before: async (chat) => {
      await chat.send("slow task");
      await chat.running();
    },
    steps: (chat, way) => way.use(chat.stopButton),
    proof: (chat) => chat.idle(),
    most: { clicks: 1, keys: 3 },
  },
  "fix a typo": {
    before: (chat) => chat.ask("helo"),
    async steps(chat, way) {
      await way.edit(chat.messages("user").last());
      await way.write(chat.log.getByRole("textbox"), "hello", { replaces: true });
      await way.submit(button(chat.log, "Send"));
    },
    proof: (chat) => eventually(async () => assert.equal((await chat.messages("user").last().innerText()).split("\n")[0], "hello")),
    most: { clicks: 2, keys: 2 },
  },
  "compare versions": {
    before: async (chat) => {
      await chat.ask("hello");
      await button(chat.log, "Regenerate").click();
      await shows(chat.log, /2\s*\/\s*2/);
      await chat.idle();
      await chat.composer.focus();
    },
    steps: (chat, way) => way.use(button(chat.log, "Previous version")),
    proof: (chat) => shows(chat.log, /1\s*\/\s*2/),
    most: { clicks: 1, keys: 6 },
  },
  // The demo has the list at the start of its page: most of the keys lead there.
  "find an old conversation": {
    before: async (chat) => {
      await chat.ask("Where is order A-17?");
      await button(chat.root, "New conversation").click();
      await eventually(async () => assert.equal(await chat.messages("user").count(), 0));
      await chat.composer.focus();
    },
    async steps(chat, way) {
      await way.use(chat.page.locator(".demo-past > summary"));
      await way.use(chat.page.locator(".la-past-item").filter({ hasText: "A-17" }).getByRole("button").first());
    },
    proof: (chat) => chat.says("Order A-17 is shipped."),
    most: { clicks: 2, keys: 23 },
  },
  "undo a new conversation": {
    before: async (chat) => {
      await chat.ask("hello");
      await button(chat.root, "New conversation").click();
    },
    steps: (chat, way) => way.use(button(chat.root, "Undo")),
    proof: (chat) => chat.messages("user").first().waitFor(),
    most: { clicks: 1, keys: 3 },
  },
  "attach a file": {
    async steps(chat, way) {
      const chooser = chat.page.waitForEvent("filechooser");
      await way.use(button(chat.root, "Attach files"));
      await (await chooser).setFiles([{ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("a") }]);
    },
    proof: (chat) => chat.root.locator(".la-attachment[data-state=ready]").waitFor(),
    most: { clicks: 1, keys: 3 },
  },
  "revoke a grant": {
    before: async (chat) => {
      await askForWeather(chat);
      await weather(chat).locator(".la-approval-longer").click();
      await weather(chat).getByLabel("For this conversation").check();
      await counts(button(weather(chat), /^Approve/));
      await button(weather(chat), /^Approve/).click();
      await chat.idle();
      await chat.ask("What's the weather?");
      await button(weather(chat), "Allowed earlier").waitFor();
      await chat.composer.focus();
    },
    async steps(chat, way) {
      await way.use(button(weather(chat), "Allowed earlier"));
      await way.use(button(chat.page.getByRole("dialog"), "Revoke Look up the weather"));
    },
    proof: async (chat) => {
      if (await chat.page.getByRole("dialog").isVisible()) await chat.page.keyboard.press("Escape");
      await askForWeather(chat);
    },
    most: { clicks: 2, keys: 6 },
  },
  "continue after a lost connection": {
    before: (chat) => chat.ask("Cut the line"),
    steps: (chat, way) => way.use(button(chat.root, "Retry")),
    proof: async (chat) => {
      await chat.idle();
      assert.ok((await chat.messages("assistant").count()) > 0);
    },
    most: { clicks: 1, keys: 3 },
  },
};

for (const [task, { before, steps, proof, most }] of Object.entries(TASKS)) {
  for (const Way of [Mouse, Keys]) {
    const name = Way === Mouse ? `${task} by mouse takes a bounded number of clicks` : `${task} by keyboard takes a bounded number of keys`;
    chatTest(name, { address: ({ page }) => page.url }, async (chat) => {
      await before?.(chat);
      const counted = await counting(chat.page);
      await steps(chat, new Way(chat));
      const { clicks, keys } = await counted();
      await proof(chat);
      if (Way === Mouse) assert.ok(clicks <= most.clicks && keys === 0, `${clicks} clicks and ${keys} keys`);
      else assert.ok(keys <= most.keys && clicks === 0, `${keys} keys and ${clicks} clicks`);
    });
  }
}
