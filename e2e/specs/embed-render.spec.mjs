// Views that functions of the page draw: cards of calls, approvals, parts and questions of the agent.

import assert from "node:assert/strict";

import { eventually, read } from "../support/chat.mjs";
import { embedSuite, mountIn } from "../support/embed.mjs";
import { begin, finish, send } from "../support/fake-agent.mjs";
import { shows } from "../support/harbor.mjs";

/** Calls `refund`, asks a question, or sends data, as the user's message says; ends when there is a result. */
const shop = (answer, input) => {
  const last = input.messages.at(-1);
  begin(answer, input);
  if (last.role === "user" && last.content === "data") {
    send(answer, { type: "ACTIVITY_SNAPSHOT", messageId: `a_${input.runId}`, activityType: "gauge", content: { metres: 1.4 } });
  } else if (last.role === "user" && last.content === "ask" && !input.resume) {
    const interrupts = [{ id: "seat", reason: "choose_seat", message: "Which seat?", responseSchema: { type: "object" } }];
    const { threadId, runId } = input;
    send(answer, { type: "RUN_FINISHED", threadId, runId, outcome: { type: "interrupt", interrupts } });
    return answer.end();
  } else if (last.role === "user" && !input.resume) {
    const toolCallId = `call_${input.runId}`;
    send(answer, { type: "TOOL_CALL_START", toolCallId, toolCallName: "refund" });
    send(answer, { type: "TOOL_CALL_ARGS", toolCallId, delta: '{"order":"A-17"}' });
    send(answer, { type: "TOOL_CALL_END", toolCallId });
  }
  finish(answer, input);
};

const pageTest = embedSuite({ scenes: { shop: Array(100).fill(shop) } });

/** Registers `refund`, with fields made by a function that is evaluated in the page. */
const register = (page, fields) =>
  page.evaluate(`(() => {
    globalThis.ran = [];
    globalThis.unregister?.();
    const action = { name: "refund", parameters: { type: "object" }, handler: (args) => void globalThis.ran.push(args) };
    globalThis.unregister = globalThis.chats.one.registerAction({ ...action, ...(${fields})() });
  })()`);
const ran = (page) => page.evaluate(() => globalThis.ran);

pageTest("a card rendered by the page follows its call and is cleaned up", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await register(page, () => ({
    async handler(args, context) {
      context.progress(0.5, "Half of it");
      const colour = await context.ask("Which colour?");
      return { colour };
    },
    render(call, element) {
      globalThis.drawn = (globalThis.drawn ?? 0) + 1;
      const line = element.appendChild(document.createElement("p"));
      const button = element.appendChild(document.createElement("button"));
      button.textContent = "Red";
      button.onclick = () => call.reply("red");
      const end = call.subscribe(({ status, args, progress, preliminary, result }) => {
        line.textContent = `${status} ${args?.order ?? ""} ${progress?.text ?? ""} ${preliminary ?? ""} ${result?.colour ?? ""}`;
      });
      return () => {
        end();
        globalThis.cleaned = (globalThis.cleaned ?? 0) + 1;
      };
    },
  }));
  await chat.send("refund");
  const card = chat.card("refund");
  await shows(card, "executing A-17 Half of it Which colour?");
  await card.getByRole("button", { name: "Red" }).click();
  await chat.idle();
  await shows(card, /complete A-17 .* red/);
  assert.deepEqual(await page.evaluate(() => [globalThis.drawn, globalThis.cleaned ?? 0]), [1, 0]);
  await page.evaluate(() => globalThis.unregister());
  await eventually(async () => assert.equal(await page.evaluate(() => globalThis.cleaned), 1));
  assert.equal(await card.getByRole("button", { name: "Red" }).count(), 0);
});

/** Draws an approval with two buttons; the outcomes of its calls are `globalThis.attempts`. */
const approval = () => ({
  approval: "always",
  renderApproval(call, element) {
    const attempt = (act) => {
      try {
        act();
        return "taken";
      } catch (error) {
        return `${error.constructor.name}: ${error.message}`;
      }
    };
    globalThis.attempts = [];
    globalThis.canApprove = () => call.current().canApprove;
    globalThis.attempt = () => globalThis.attempts.push(attempt(() => call.approve()));
    const line = element.appendChild(document.createElement("p"));
    line.textContent = `Refund ${call.current().argsValue.order}?`;
    for (const [text, act] of [["Do it", () => call.approve()], ["Keep it", () => call.deny("kept")]]) {
      const button = element.appendChild(document.createElement("button"));
      button.textContent = text;
      button.onclick = () => globalThis.attempts.push(attempt(act));
    }
    globalThis.attempt();
  },
});

pageTest("a page-rendered approval counts only when visible and clicked by the user", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await register(page, approval);
  await chat.send("refund");
  const card = chat.card("refund");
  await shows(card, "Refund A-17?");
  // From a script, at once and later, also by a click that the browser did not make.
  await page.evaluate(() => globalThis.attempt());
  await card.getByRole("button", { name: "Do it" }).evaluate((button) => button.click());
  await read(card, "Do it");
  await page.waitForFunction(() => globalThis.canApprove());
  await page.evaluate(() => globalThis.attempt());
  await card.getByRole("button", { name: "Do it" }).evaluate((button) => button.click());
  const refused = await page.evaluate(() => globalThis.attempts);
  assert.equal(refused.length, 5);
  for (const message of refused) assert.match(message, /^Error: /);
  assert.deepEqual(await ran(page), []);
  await eventually(async () => {
    await card.getByRole("button", { name: "Do it" }).click();
    assert.equal((await page.evaluate(() => globalThis.attempts)).at(-1), "taken");
  });
  await chat.idle();
  assert.deepEqual(await ran(page), [{ order: "A-17" }]);
  await chat.send("refund");
  await card.last().getByRole("button", { name: "Keep it" }).click();
  await chat.idle();
  assert.equal((await ran(page)).length, 1);
});

for (const [name, fields] of Object.entries({
  throws: () => ({ renderApproval() { throw new Error("no drawing today"); } }),
  "throws a text": () => ({ renderApproval() { throw "no drawing today"; } }),
  "draws nothing": () => ({ renderApproval() {} }),
  "removes its element": () => ({ renderApproval: (call, element) => void setTimeout(() => element.remove(), 0) }),
  "returns a text": () => ({ renderApproval: () => "<b>Refund?</b>" }),
  "draws into another element": () => ({ renderApproval: () => void (document.body.appendChild(document.createElement("i")).textContent = "Refund?") }),
})) {
  pageTest(`a renderApproval function that ${name}: the built-in approval is shown`, { allow: [/renderApproval/] }, async (page, agent) => {
    const chat = await mountIn(page, "one", `${agent.url}shop`);
    await register(page, () => ({ approval: "always" }));
    await page.evaluate(`globalThis.more = (${fields})()`);
    await register(page, () => ({ approval: "always", ...globalThis.more }));
    await chat.send("refund");
    const card = chat.card("refund");
    await chat.approve(card);
    await chat.idle();
    assert.deepEqual(await ran(page), [{ order: "A-17" }]);
    assert.equal(await chat.root.getByText("has stopped").count(), 0);
  });
}

pageTest("a misspelt or oversized bound is refused, and no approval is remembered", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await register(page, () => ({
    approval: "always",
    renderApproval(call, element) {
      element.textContent = "Refund?";
      globalThis.call = call;
    },
  }));
  await chat.send("refund");
  await shows(chat.card("refund"), "Refund?");
  const answers = await page.evaluate(() =>
    [{ scope: "session", use: 1 }, { scope: "alway" }, { scope: "session", uses: "1" }, { scope: "session", uses: 2 ** 32 }].map((bounds) => {
      try {
        globalThis.call.approveAndRemember(null, bounds);
        return "taken";
      } catch (error) {
        return `${error.constructor.name}: ${error.message}`;
      }
    }),
  );
  for (const answer of answers) assert.match(answer, /^TypeError: approveAndRemember: argument 2 must be/);
  assert.deepEqual(await page.evaluate(() => globalThis.chats.one.rememberedApprovals()), []);
  await page.evaluate(() => globalThis.chats.one.denyAllAndStop());
  await chat.idle();
});

pageTest("tools, parts and interrupts can be rendered by the page", {}, async (page, agent) => {
  const chat = await mountIn(page, "one", `${agent.url}shop`);
  await page.evaluate(() => {
    const { one } = globalThis.chats;
    const line = (read) => (object, element) => {
      const text = element.appendChild(document.createElement("p"));
      object.subscribe((state) => (text.textContent = read(state)));
    };
    globalThis.ends = [
      one.renderParts({ data: "gauge" }, line(({ data }) => `${data.metres} metres`)),
      one.renderTools("refund", line(({ name, status }) => `${name} is ${status}`)),
      one.renderInterrupts("choose_seat", (question, element) => {
        element.appendChild(document.createElement("p")).textContent = question.current().message;
        const button = element.appendChild(document.createElement("button"));
        button.textContent = "12A";
        question.subscribe(({ canAnswer }) => button.setAttribute("aria-disabled", String(!canAnswer)));
        button.onclick = () => {
          try {
            question.answer({ seat: "12A" });
            globalThis.answered = true;
          } catch (error) {
            if (!error.message.startsWith("Scroll to the end")) throw error;
          }
        };
      }),
    ];
  });
  await chat.ask("data");
  await chat.says("1.4 metres");
  await chat.send("ask");
  const seat = chat.root.getByRole("button", { name: "12A" });
  await seat.waitFor();
  await chat.says("Which seat?");
  // An answer is refused if the question has just moved, which `canAnswer` shows at the next examination only.
  await eventually(async () => {
    await seat.and(page.locator("[aria-disabled=false]")).click();
    assert.ok(await page.evaluate(() => globalThis.answered), "the answer is accepted");
  });
  await chat.idle();
  const { resume } = agent.requests("shop").at(-1).body;
  assert.deepEqual(resume.map(({ interruptId, payload }) => [interruptId, payload]), [["seat", { seat: "12A" }]]);
  await page.evaluate(() => globalThis.ends.forEach((end) => end()));
  await eventually(async () => assert.ok(!(await chat.log.innerText()).includes("1.4 metres")));
});
