// Runs attacks on consent, each together with its honest twin: the same scene without the attack, where one press
// approves.
//
// The invariant: a handler runs, or an approval goes out to the agent, only if a trusted event of the user approved this exact call while its
// whole request was visible.

import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { eventually } from "../support/chat.mjs";
import { suite } from "../support/suite.mjs";
import { call, scriptedAgent } from "./agent.mjs";
import { installTools } from "./page.mjs";
import { difference, pictureOf } from "./pixels.mjs";

/** The chat under test: CONSENT_DRIVER names the driver of another one. */
const { driver: chosen } = await import(process.env.CONSENT_DRIVER ? pathToFileURL(path.resolve(process.env.CONSENT_DRIVER)).href : "./driver.mjs");

/** The actions of the page: a payment, and another one that asks in the same way. */
export const PAY = {
  name: "pay",
  description: "Pays somebody from the account of the shop",
  parameters: { type: "object", properties: { to: { type: "string" }, amount: { type: "number" } } },
};
export const ERASE = { name: "erase", description: "Erases a folder", parameters: { type: "object", properties: { folder: { type: "string" } } } };

export const ADA = { to: "ada", amount: 5 };
export const MALLORY = { to: "mallory", amount: 5000 };

/** The number of pixels in which two pictures of the same request may differ: fewer than one letter has. */
const TOLERANCE = 12;
/**
 * The time for which a request is shown before the victim of an attack answers it, and between two attempts, in
 * milliseconds.
 */
const READS = 850;
/** The longest time until an approved call has run, in milliseconds. */
const RUNS = 250;
/**
 * The longest time from a change of the page to the press of an attack that must come shortly afterwards, in milliseconds.
 * After half a second the press would count.
 */
export const SHORTLY = 400;
/** Longer than the interval at which the chat inspects a request, in milliseconds. */
const INSPECTED = 400;

/** One run of a scene, attacked or not. */
export class Stage {
  constructor(given) {
    Object.assign(this, given);
    /** Pictures of the request at each press. */
    this.pictures = [];
  }

  get request() {
    return this.driver.request(this.page, this.name).first();
  }

  get button() {
    return this.driver.approve(this.request);
  }

  /** Has the agent play these runs, and waits for its request, if there is one. */
  async ask(runs, waits = true) {
    this.agent.script(runs);
    await this.driver.ask(this.page);
    if (waits) await this.button.waitFor({ state: "attached" });
  }

  /** Waits until an approval would count; an attack may prevent that. */
  async read(most = READS) {
    if (!this.attacked) return this.ready();
    await this.driver.ready(this.request).waitFor({ state: "attached", timeout: most }).catch(() => {});
  }

  /** Waits until an approval counts, for an attack that begins afterwards. */
  async ready() {
    await this.driver.ready(this.request).waitFor({ state: "attached" });
    // The next inspection may notice that the button has moved.
    await this.settle(INSPECTED);
    await this.driver.ready(this.request).waitFor({ state: "attached" });
  }

  /** Scrolls a request that is longer than its place to its end. */
  async scroll() {
    for (const end of await this.request.locator("pre, .la-approval-end").all()) {
      await end.evaluate((node) => (node.scrollTop = node.scrollHeight));
      await end.evaluate((node) => node.scrollIntoView({ block: "nearest" }));
    }
  }

  /** The middle of Approve, or its last position. */
  async aim() {
    const box = await this.button.boundingBox({ timeout: 300 }).catch(() => null);
    if (box) this.target = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    return this.target;
  }

  /** Takes a picture of the request as it is now. */
  async picture() {
    this.pictures.push(await pictureOf(this.page, this.request));
  }

  /** A click of the mouse on Approve. The picture is what the user sees while the button of the mouse is down. */
  async press() {
    const { x, y } = await this.aim();
    await this.page.mouse.move(x, y);
    await this.page.mouse.down();
    await this.picture();
    await this.page.mouse.up();
    await this.settle();
  }

  /** A click on Approve without any delay. */
  async quick() {
    const { x, y } = await this.aim();
    await this.page.mouse.click(x, y);
  }

  /** Approves by a key, with the focus on the button. */
  async key(key = "Enter") {
    if ((await this.button.count()) === 0) return;
    await this.button.evaluate((button) => button.focus());
    await this.picture();
    await this.page.keyboard.press(key);
    await this.settle();
  }

  /** Waits until the page shows these words, which is the change after which the user presses. */
  async changed(words) {
    const shown = (words) => {
      const isShown = document.body.innerText.includes(words);
      if (isShown) globalThis.attack.times.mark();
      return isShown;
    };
    await this.page.waitForFunction(shown, words, { polling: 10 });
  }

  /** The time since the change, in milliseconds; null before it. */
  since() {
    return this.do(() => globalThis.attack.times.since());
  }

  /**
   * Checks that each press came shortly after the change of the page that preceded it. A slow machine can delay a press
   * until it counts: then the attack did not take place, and must be repeated, unless an earlier press has had an effect.
   */
  async shortly() {
    const presses = await this.do(() => globalThis.attack.times.presses);
    if (presses.length === 0) throw new Error("no press came after the change, so there was no attack");
    const late = presses.find(({ after }) => after > SHORTLY);
    if (!late) return;
    const ran = (await this.driver.ran(this.page)).filter(({ at }) => at < late.at);
    if (ran.length > this.permitted.length) return;
    throw new Error(`the press came ${Math.round(late.after)} ms after the change, too late for the attack`);
  }

  settle(ms = RUNS) {
    return this.page.waitForTimeout(ms);
  }

  /** The calls that ran, as `[name, arguments]`. */
  async ran() {
    return (await this.driver.ran(this.page)).map(({ name, args }) => [name, args]);
  }

  /** The approvals that were sent to the agent. */
  approvals() {
    return this.agent.sent().flatMap(({ resume = [] }) => resume).filter(({ payload }) => payload?.approved === true);
  }

  /** Evaluates a function of page.mjs, or another, in the page. */
  do(act, given) {
    return this.page.evaluate(act, given);
  }
}

/** The answer of the twin: waits, and presses once. */
const readAndPress = async (stage) => {
  await stage.read();
  await stage.press();
};

/** The answer of the victim: like the twin, and once more if nothing seems to happen. */
const pressTwice = async (stage) => {
  await stage.read();
  await stage.press();
  if ((await stage.ran()).length > 0 || (await stage.button.count()) === 0) return;
  await stage.settle(350);
  await stage.press();
};

/** The reason why these tests may be retried. */
const TIMED = "an attack presses within a fixed time, or shows that nothing runs within the time in which its twin's call runs";

const PAYS = [[call("pay", ADA)]];
/** The twin of most attacks: a payment, read and approved. */
const PAYMENT = {};

/** Starts the page of a driver and the agent, for `suite`. */
export const servers = (driver) => async (open) => {
  const page = await driver.serve();
  open.push(page);
  const agent = await scriptedAgent(new URL(page.url).origin);
  open.push(agent);
  return { page, agent };
};

/**
 * Registers tests of attacks. An attack has
 *
 * - `name`: the change that it makes;
 * - `twin`: the honest scene, which must run its call once. `script` is what the agent plays (a payment),
 *   `answer(stage)` the user's actions (a click), `ran` the calls that have run then, `name` the call that is asked
 *   about;
 * - `attack`: the differences. `script`, with `ask: false` if the agent may end without a request; `before(stage)`
 *   before the agent asks, `shown(stage)` as soon as the request is in the page, and `answer(stage)`, by which the user
 *   is made to answer (a click where Approve is, and another one). An `answer` with a time limit marks the change of the
 *   page (`attack.times` in page.mjs), and checks by `shortly` that the press came in time;
 * - `expects`: the permitted outcome. `ran` lists the calls that are permitted to run (none); `hides` says that the picture
 *   of the request at the press is not the twin's, which shows that the attack works; `shows` lists patterns that the
 *   request must match; `check(stage)` checks more.
 *
 * Attacks without a twin of their own, or with the same, share one. A press that has an effect must have the twin's
 * picture, whatever may run, unless the attack has another script.
 */
export function attackSuite(attacks, { driver = chosen, actions = [PAY, ERASE], store = false, allow = [] } = {}) {
  const test = suite(servers(driver));
  const address = ({ page, agent }) => driver.address(page, agent.url);
  let blank;
  // Each honest scene is played once, on a page of its own.
  const twins = new Map();
  // An attack that worked fails for good: the retry, for slow machines, does not count.
  const broken = new Map();

  async function honest(twin, given) {
    const { page, agent } = given;
    const stage = new Stage({ ...given, attacked: false, name: twin.name ?? "pay" });
    await stage.ask(twin.script ?? PAYS);
    await (twin.answer ?? readAndPress)(stage);
    await eventually(async () => assert.deepEqual(await stage.ran(), twin.ran ?? [["pay", ADA]], "the twin's call ran once"));
    // Its result is sent, so that no later request of the twin takes a run of the attack.
    await eventually(() => assert.ok(agent.sent().length > 1, "the twin's result is sent"));
    await page.mouse.move(1, 1);
    await page.goto(driver.address(given.server, agent.url));
    await driver.open(page, agent.url, actions, { store });
    if (store) await driver.fresh(page);
    return stage;
  }

  for (const { name, twin = PAYMENT, attack = {}, expects = {} } of attacks) {
    test(name, { address, bare: true, allow, only: "chromium", timed: TIMED }, async ({ page }, { agent, page: server }) => {
      if (broken.has(name)) throw broken.get(name);
      blank ??= await page.context().browser().newPage();
      await driver.open(page, agent.url, actions, { store });
      const given = { page, server, agent, driver, blank };
      if (!twins.has(twin)) {
        const stage = await honest(twin, given);
        twins.set(twin, stage);
        await keep(stage, `${name} twin`);
      }
      const { name: asked, target, pictures } = twins.get(twin);

      await page.evaluate(installTools);
      const [permitted, approvals] = [expects.ran ?? [], expects.approvals ?? 0];
      const stage = new Stage({ ...given, attacked: true, name: attack.name ?? asked, target, permitted });
      await attack.before?.(stage);
      await stage.ask(attack.script ?? twin.script ?? PAYS, attack.ask);
      for (const part of expects.shows ?? []) {
        await eventually(async () => assert.match(await stage.request.innerText(), part, "the request contains it"));
      }
      await attack.shown?.(stage);
      await (attack.answer ?? pressTwice)(stage);
      await stage.settle(100);
      await keep(stage, name);

      const ran = await stage.ran();
      const off = stage.pictures.length > 0 ? await difference(blank, pictures.at(-1), stage.pictures.at(-1)) : 0;
      const visibleDifference = `its request differed from the twin's in ${off} pixels`;
      if (expects.hides) assert.ok(off > TOLERANCE, `the attack hides something: ${visibleDifference}`);
      try {
        assert.deepEqual(ran, permitted.slice(0, ran.length), `no handler runs; ${visibleDifference}`);
        if (!attack.script && ran.length > 0) assert.ok(off <= TOLERANCE, `what runs was shown: ${visibleDifference}`);
        assert.ok(stage.approvals().length <= approvals, `no approval is sent; ${visibleDifference}`);
      } catch (breach) {
        broken.set(name, breach);
        throw breach;
      }
      assert.equal(stage.approvals().length, approvals, "the approval is sent");
      await expects.check?.(stage);
    });
  }
}

/** Saves a picture of the page and of the request at each press, to inspect the scenes. */
async function keep(stage, name) {
  if (!process.env.CONSENT_PICTURES) return;
  const { mkdir, writeFile } = await import("node:fs/promises");
  const folder = process.env.CONSENT_PICTURES;
  await mkdir(folder, { recursive: true });
  const file = `${folder}/${name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 70)}`;
  for (const [at, picture] of stage.pictures.entries()) if (picture) await writeFile(`${file}-press-${at}.png`, picture);
  await stage.page.screenshot({ path: `${file}-after.png` });
}
