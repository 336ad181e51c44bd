// Orca and a headed Chromium on a virtual display, with a message bus, settings and a profile of their own in a temporary
// folder. Orca writes its utterances to a file instead of speaking them (orca/transcript.py). Keys are those of the
// display, not of the page, since Orca handles them first: in its browse mode arrows and letters are its own commands.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, cpSync, existsSync, openSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { chromium } from "playwright-core";

import { SLOWDOWN } from "../support/browser.mjs";
import { eventually } from "../support/chat.mjs";

const SETTINGS = fileURLToPath(new URL("orca", import.meta.url));
/** The silence after which a step is complete, in milliseconds: longer than any pause between announcements. */
const QUIET = 2000 * SLOWDOWN;
/** The time in which Orca must respond to a key, in milliseconds: many changes of a page keep it busy. */
const RESPONDS = 20_000 * SLOWDOWN;

/** Keys whose names differ on the display. */
const KEYS = { Enter: "Return", ArrowUp: "Up", ArrowDown: "Down" };

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts display, bus and Orca, and opens a page in Chromium. */
export async function screenReader(url) {
  const home = await mkdtemp(path.join(tmpdir(), "speech-"));
  const file = path.join(home, "transcript");
  const log = path.join(home, "log");
  // Nothing of the user's own session: another display, bus, language or set of preferences changes the transcript.
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    XDG_RUNTIME_DIR: home,
    LANG: "C.UTF-8",
    GSETTINGS_BACKEND: "memory",
    PYTHONDONTWRITEBYTECODE: "1",
    TRANSCRIPT: file,
  };
  const children = [];
  let browser;

  /** Starts a program; with `reports`, returns the line that it writes to descriptor 3. */
  async function start(program, args, reports = false) {
    const output = openSync(log, "a");
    const child = spawn(program, args, { env, stdio: ["ignore", output, output, "pipe"] });
    closeSync(output);
    children.push(child);
    await Promise.race([once(child, "spawn"), once(child, "error").then(([error]) => assert.fail(`${program}: ${error.message}`))]);
    if (!reports) return undefined;
    let line = "";
    const exit = once(child, "exit").then(() => assert.fail(`${program} ended`));
    exit.catch(() => {});
    for (;;) {
      const [chunk] = await Promise.race([once(child.stdio[3], "data"), exit]);
      line += chunk;
      if (line.includes("\n")) return line.trim();
    }
  }

  const utterances = () => {
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").split("\n");
    // The last one is empty, or being written.
    return lines.slice(0, -1).map((line) => JSON.parse(line));
  };

  async function close() {
    await browser?.close();
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null || !child.pid) continue;
      const exit = once(child, "exit");
      child.kill();
      const late = setTimeout(() => child.kill("SIGKILL"), 5000);
      await exit;
      clearTimeout(late);
    }
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  try {
    const display = await start(process.env.XVFB ?? "Xvfb", ["-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp"], true);
    env.DISPLAY = `:${display}`;
    env.DBUS_SESSION_BUS_ADDRESS = await start(process.env.DBUS_DAEMON ?? "dbus-daemon", ["--session", "--nofork", "--print-address=3"], true);
    const preferences = path.join(home, "orca");
    cpSync(SETTINGS, preferences, { recursive: true });
    await start(process.env.ORCA ?? "orca", ["--user-prefs", preferences]);
    const orca = children.at(-1);
    await eventually(() => {
      assert.equal(orca.exitCode, null, "Orca runs");
      assert.deepEqual(utterances(), ["Screen reader on."]);
    });
    // A window of an application has no address bar, which would have the focus.
    browser = await chromium.launchPersistentContext(path.join(home, "profile"), {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      headless: false,
      env,
      viewport: null,
      reducedMotion: "reduce",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-component-update",
        "--force-renderer-accessibility",
        "--window-position=0,0",
        "--window-size=1280,900",
        `--app=${url}`,
      ],
    });
    const [page] = browser.pages();
    page.setDefaultTimeout(30_000 * SLOWDOWN);
    const keys = (...args) => promisify(execFile)(process.env.XDOTOOL ?? "xdotool", args, { env });
    return { page, keys, utterances, close };
  } catch (error) {
    if (existsSync(log)) error.message += `\n${readFileSync(log, "utf8")}`;
    await close();
    throw error;
  }
}

/** A scene: steps of the user at the keyboard, each with what Orca says until it is quiet. */
export class Scene {
  #reader;
  #from = 0;
  #lines = [];

  constructor(reader) {
    this.#reader = reader;
  }

  /** Waits until Orca is quiet, and drops its utterances so far: about the browser and the loaded page. */
  async begin() {
    await eventually(() => assert.ok(this.#reader.utterances().some((line) => line.startsWith("Finished loading"))));
    await this.#quiet();
    this.#from = this.#reader.utterances().length;
  }

  /** Acts, waits for `until`, and records what Orca says, except for echoes of `typed`. */
  async step(title, act, until = async () => {}, typed = "") {
    await act();
    await until();
    const end = Date.now() + RESPONDS;
    while (!typed && this.#reader.utterances().length === this.#from) {
      assert.ok(Date.now() < end, `Orca says nothing about ${title}:\n${this.transcript()}`);
      await pause(100);
    }
    await this.#quiet();
    const all = this.#reader.utterances();
    const fresh = all.slice(this.#from).flatMap(normal);
    this.#lines.push(`> ${title}`, ...fresh.filter((line) => !typed.includes(line)), "");
    this.#from = all.length;
  }

  /** Presses a key. */
  press(key, until) {
    const name = key.split("+").map((part) => KEYS[part] ?? part).join("+");
    return this.step(key, () => this.#reader.keys("key", name), until);
  }

  /** Presses a key several times, and records each. */
  async repeat(key, count) {
    for (let pressed = 0; pressed < count; pressed++) await this.press(key);
  }

  /** Types a message and sends it. If the keys come faster than Orca handles them, it echoes some of the text. */
  async send(text, until) {
    await this.type(text);
    await this.press("Enter", until);
  }

  /** Types a text. */
  type(text) {
    return this.step(text, () => this.#reader.keys("type", "--delay", "60", text), undefined, text);
  }

  /** Presses a key whose effect is one alert: Orca reads its paragraphs in any order, so they are sorted. */
  async alerted(key, until) {
    await this.press(key, until);
    const [, ...lines] = this.#lines.splice(this.#lines.lastIndexOf(`> ${key}`));
    this.#lines.push(`> ${key}`, ...lines.filter(Boolean).sort(), "");
  }

  /** Presses a key until an element has the focus. */
  async reach(element, key = "Tab", most = 20) {
    const focused = () => element.evaluate((node) => node === document.activeElement);
    for (let count = 0; count < most && !(await focused()); count++) await this.press(key);
    assert.ok(await focused(), `${key} reaches it:\n${this.transcript()}`);
  }

  /** The steps so far, with their utterances. */
  transcript() {
    return this.#lines.join("\n");
  }

  async #quiet() {
    for (let count = -1; ; ) {
      const now = this.#reader.utterances().length;
      if (now === count) return;
      count = now;
      await pause(QUIET);
    }
  }
}

/**
 * Utterances that depend on the moment: Orca's own mode, long silence, tools that start, and the text before an error.
 * Orca says the last two before or after the answer, or not at all if something urgent follows.
 */
const UNSTABLE = [/^(Focus|Browse) mode$/, /^Still working$/, /^Running /, /^Assistant: The text so far$/];

/** An utterance without what changes from run to run. */
function normal(text) {
  const line = text.replace(/\s+/g, " ").trim().replace(/\bdep-\d+\b/g, "dep-N").replace(/\b\d+:\d+ [AP]M\b/g, "TIME");
  return line && !UNSTABLE.some((pattern) => pattern.test(line)) ? [line] : [];
}
