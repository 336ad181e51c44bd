// The built demo against an agent that calls actions with long arguments, and several at once: the time from which an
// approval counts.

import assert from "node:assert/strict";

import { DESKTOP } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";
import { begin, fakeAgent, finish, send } from "../support/fake-agent.mjs";
import { demo } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const LONG = { location: `Rotterdam${"\n".repeat(400)}`, notes: Array.from({ length: 60 }, (_, at) => `note ${at}`), z: "the end" };

function call(answer, toolCallName, args, toolCallId = "c") {
  send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName });
  send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) });
  send(answer, { type: "TOOL_CALL_END", toolCallId });
}

const scenes = {
  long(answer, input) {
    begin(answer, input);
    call(answer, "get_weather", LONG);
    finish(answer, input);
  },
  two(answer, input) {
    begin(answer, input);
    call(answer, "get_weather", { location: "Rotterdam" });
    call(answer, "deployApplication", { environment: "production", version: "6.6.6" }, "d");
    finish(answer, input);
  },
};

const chatTest = suite(async (open) => {
  const page = await demo();
  const agent = await fakeAgent({ origin: new URL(page.url).origin, scenes });
  open.push(page, agent);
  return { page, agent };
});

/** Tests against one scene, in both schemes of colours and on a desktop and a narrow phone. */
function sceneTest(title, scene, body) {
  const looks = [
    ["light", DESKTOP],
    ["dark", { width: 360, height: 740 }],
  ];
  for (const [colorScheme, viewport] of looks) {
    const address = ({ page, agent }) => {
      agent.forget();
      return `${page.url}?${new URLSearchParams({ agent: `${agent.url}${scene}`, protocol: "ag-ui" })}`;
    };
    const name = `${title}, ${colorScheme}, ${viewport.width} px`;
    chatTest(name, { address, colorScheme, viewport }, async (chat, servers) => {
      await body(chat, servers);
      await chat.picture(name);
    });
  }
}

const approve = (card) => card.getByRole("button", { name: /^Approve(:|$)/ });

sceneTest("an approval of the page counts once its end was visible", "long", async (chat, { agent }) => {
  await chat.send("Go");
  const card = chat.card("get_weather");
  // The card of the streamed call is replaced by the request.
  await card.locator(".la-approval-hint").filter({ hasText: "Scroll to the end to approve" }).waitFor();
  const shown = await card.locator("pre").innerText();
  assert.ok(shown.includes(`"location": "Rotterdam${"\\n".repeat(400)}"`), "line breaks stay escaped");
  const scrolled = () => card.locator("pre").evaluate((pre) => pre.scrollTop);
  await chat.picture("the page's question with its hint");
  // A click is too early, and scrolls to the unread part. The hint may have moved the button.
  assert.equal(await scrolled(), 0);
  const button = await approve(card).elementHandle();
  await button.waitForElementState("stable");
  await button.click({ force: true });
  await eventually(async () => assert.ok((await scrolled()) > 0));
  await chat.picture("the page's question at its end");
  assert.equal(await card.getAttribute("data-phase"), "approval-requested", "nothing was approved");
  assert.equal(agent.requests("long").length, 1, "nothing was approved");
  await card.locator("pre").evaluate((pre) => pre.scrollTo(0, 0));
  await card.getByRole("button", { name: "Deny", exact: true }).waitFor();
});

const two = ({ page, agent }) => `${page.url}?${new URLSearchParams({ agent: `${agent.url}two`, protocol: "ag-ui" })}`;

chatTest("the second click of a double click does not approve another call", { address: two }, async (chat, { agent }) => {
  agent.forget();
  await chat.send("Go");
  const [first, second] = [chat.card("get_weather"), chat.card("deployApplication")];
  for (const card of [first, second]) {
    await card.locator("button:not([aria-disabled])", { hasText: "Approve" }).waitFor();
  }
  // The card has moved up to the position of the other one.
  const clicked = approve(second).evaluate(
    (button) =>
      new Promise((done) => {
        const before = button.getBoundingClientRect().top;
        const look = () => {
          if (button.getBoundingClientRect().top === before) return requestAnimationFrame(look);
          done(button.dispatchEvent(new MouseEvent("click", { detail: 2, bubbles: true })));
        };
        look();
      }),
  );
  await chat.approve(first);
  await clicked;
  await chat.status(first, "complete");
  await chat.status(second, "pending");
  await chat.picture("the second of two questions after a double click");
  assert.equal(agent.requests("two").length, 1);
  await chat.approve(second);
  await chat.idle();
  const results = agent.requests("two")[1].body.messages.filter(({ role }) => role === "tool");
  assert.equal(results.length, 2);
});

sceneTest("an approval by keyboard counts once everything was visible", "long", async (chat) => {
  await chat.send("Go");
  const card = chat.card("get_weather");
  await approve(card).focus();
  await card.locator("button[aria-disabled]", { hasText: "Approve" }).waitFor();
  // The state of the focused button at each press.
  await card.evaluate((card) => {
    globalThis.presses = [];
    const record = ({ target }) => globalThis.presses.push(target.textContent.includes("Approve") && target.ariaDisabled);
    card.addEventListener("keydown", record, { capture: true });
  });
  // Each press scrolls to a part that was not in view for long enough; the first one after that approves. On a slow
  // machine several presses meet the same part.
  const isOpen = async () => (await card.getAttribute("data-phase")) === "approval-requested";
  const ready = card.locator("button:not([aria-disabled])", { hasText: "Approve" });
  for (let press = 0; press < 40 && (await isOpen()); press++) {
    await chat.page.keyboard.press("Enter");
    await eventually(async () => {
      const hasFocus = await card.evaluate((card) => card.contains(document.activeElement));
      assert.ok(hasFocus || !(await isOpen()), "it keeps the focus");
    });
    if (await isOpen()) await ready.waitFor({ timeout: 2000 }).catch(() => {});
  }
  await eventually(async () => assert.ok(!(await isOpen()), "it is approved"));
  const presses = await chat.page.evaluate(() => globalThis.presses);
  assert.ok(presses.length > 1, "the first press does not approve");
  assert.ok(presses.slice(0, -1).every((disabled) => disabled === "true"), `${presses}`);
  await chat.idle();
});
