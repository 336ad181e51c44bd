// The style sheet beside the styles of a page: its rules for bare elements change nothing in the chat, its classes and the
// utilities of Tailwind 4 win. The examples of the guide have readable colours.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { compile } from "tailwindcss";

import { ROOT, plainPage } from "../support/servers.mjs";
import { suite } from "../support/suite.mjs";

const ORDER = "@layer theme, base, leptos-assistant, components, utilities;\n";

/** Builds the style sheet that Tailwind makes for these classes. */
async function tailwind(classes) {
  const read = createRequire(import.meta.url);
  const loadStylesheet = async (id, base) => {
    const file = read.resolve(id === "tailwindcss" ? "tailwindcss/index.css" : id);
    return { path: file, base, content: readFileSync(file, "utf8") };
  };
  const { build } = await compile('@import "tailwindcss";', { loadStylesheet });
  return build(classes);
}

const pageTest = suite(async (open) => {
  const page = await plainPage();
  open.push(page);
  return { page };
});

/** A test on a page with a chat and this sheet of its own, which is linked first. */
function styledTest(name, sheet, body) {
  pageTest(name, { address: ({ page }) => `${page.url}host.html`, bare: true }, async ({ page }, { page: { url } }) => {
    const css = await sheet;
    await page.route("**/page.css", (route) => route.fulfill({ contentType: "text/css", body: css }));
    await page.goto(`${url}styles.html`);
    const composer = page.getByRole("textbox", { name: "Message", exact: true });
    await composer.fill("Text");
    // The composer of the program has the text then, and nothing is drawn any more.
    await page.locator("[data-assistant-chat]").waitFor();
    await page.waitForFunction(() => document.querySelector("leptos-assistant").chat);
    await body(page);
  });
}

/** Sets classes of the Send button, and returns what is computed for it. */
const send = (page, classes, names) =>
  page.evaluate(
    ([classes, names]) => {
      const button = document.querySelector(".la-composer button[type=submit], .la-composer .la-button[data-variant=primary]");
      button.classList.add(...classes);
      const style = getComputedStyle(button);
      return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name)]));
    },
    [classes, names],
  );

/**
 * The computed styles of the library's elements and of the agent's text, with the sheet of the page or without it. Sizes
 * and positions follow from the others; a border without width has no visible style.
 */
const looks = (page, withSheet) =>
  page.evaluate((withSheet) => {
    // The sheet, not its link: a link that is enabled again loads its sheet later.
    document.querySelector("link[href='./page.css']").sheet.disabled = !withSheet;
    // The place of the chat is the page's own, and its width decides about margins inside.
    for (const around of [document.documentElement, document.body, document.querySelector("leptos-assistant")]) Object.assign(around.style, { margin: "0", padding: "0" });
    const skipped = /origin$|^((block|inline)-size|width|height|top|left|right|bottom|tab-size)$|^inset|^border.*-style$|tap-highlight/;
    return [...document.querySelectorAll("[data-assistant-chat], [data-assistant-chat] :is([class*=la-], .la-markdown *)")].map((element) => {
      const style = getComputedStyle(element);
      const own = [...style].filter((name) => !name.startsWith("--") && !skipped.test(name)).map((name) => `${name}: ${style.getPropertyValue(name)}`);
      return [`${element.localName}.${element.getAttribute("class")}`, ...own];
    });
  }, withSheet);

/** Asserts that the sheet of the page applies to the page, and changes nothing inside of the chat. */
async function unchanged(page) {
  const lineHeight = () => page.evaluate(() => getComputedStyle(document.body).lineHeight);
  const without = await looks(page, false);
  const plain = await lineHeight();
  const within = await looks(page, true);
  assert.notEqual(await lineHeight(), plain, "the sheet applies");
  assert.ok(without.length > 20);
  const changed = without.flatMap(([name, ...own], at) => own.filter((line, of) => line !== within[at][of + 1]).map((line) => `${name} ${line}`));
  assert.deepEqual(changed, []);
}

const UTILITIES = ["bg-red-500", "rounded-none", "uppercase", "px-8", "tracking-widest"];

styledTest("Tailwind's base styles change nothing in the chat", tailwind(UTILITIES).then((css) => ORDER + css), unchanged);

styledTest("Tailwind utilities override the styles of the library", tailwind(UTILITIES).then((css) => ORDER + css), async (page) => {
  const names = ["border-radius", "text-transform", "padding-left", "letter-spacing", "background-color"];
  const before = await send(page, [], names);
  const after = await send(page, UTILITIES, names);
  for (const name of names) assert.notEqual(after[name], before[name], name);
  assert.equal(after["border-radius"], "0px");
  assert.equal(after["text-transform"], "uppercase");
  assert.equal(after["padding-left"], "32px");
});

styledTest(
  "element selectors of the page do not restyle the chat",
  `* { margin: 3px; padding: 2px; border-radius: 9px } button { background: red; color: red; padding: 40px; text-transform: uppercase;
   border: 5px solid; box-shadow: 0 0 9px red; font: italic 30px serif } body p, body span, main p { color: magenta; margin: 40px }
   h1, h2, h3 { color: lime; font-size: 50px; text-transform: uppercase } textarea { letter-spacing: 4px; background: yellow; height: 300px }
   ul, ol, li { list-style: square; padding-left: 60px } svg { width: 90px; fill: red } form { border: 1px solid; display: flex }
   body { margin: 0; line-height: 3 }`,
  unchanged,
);

styledTest(
  "class rules of the page override the library, even if linked before it",
  ".la-button { border-radius: 3px; text-transform: uppercase } .mine { padding-left: 32px } :root { --la-accent: rgb(1, 2, 3) }",
  async (page) => {
    const after = await send(page, ["mine"], ["border-radius", "text-transform", "padding-left", "background-color"]);
    assert.deepEqual(after, { "border-radius": "3px", "text-transform": "uppercase", "padding-left": "32px", "background-color": "rgb(1, 2, 3)" });
  },
);

/** The parts of a chat that only some conversations have. */
const PARTS = `<div class="la-standalone"><label class="la-field la-field-check"><input type="checkbox">Remember</label>
  <input class="la-input" placeholder="Find"><div class="la-tree-way"></div>
  <div class="la-markdown"><span class="la-task-mark" data-done></span></div></div>`;
const addParts = (page) => page.evaluate((parts) => document.body.insertAdjacentHTML("beforeend", parts), PARTS);

styledTest(
  "the focus ring remains under resets of the page, and its classes change it",
  `:focus, *:focus-visible { outline: 0; outline-offset: 9px } button:focus, input:focus, a:focus { outline: none }
   .la-button:focus-visible { outline: 3px dotted red }`,
  async (page) => {
    await addParts(page);
    await page.locator("body").evaluate((body) => body.insertAdjacentHTML("beforeend", "<button>The page</button>"));
    const focused = (names) => page.evaluate((names) => names.map((name) => getComputedStyle(document.activeElement).getPropertyValue(name)), names);
    const ring = async (selector) => [selector, ...(await focused(["outline-style", "outline-offset"]))];
    // Its ring is around the box with the buttons.
    await page.locator(".la-composer-input").focus();
    const box = await page.locator(".la-composer-box").evaluate((node) => getComputedStyle(node).outline);
    assert.match(box, /solid 2px$/);
    const rings = [];
    for (const selector of [".la-transcript-scroller", ".la-input", ".la-field-check > input", ".la-composer [type=submit]", "body > button"]) {
      // After a key, a focused element is drawn with its ring.
      await page.keyboard.press("Shift");
      await page.locator(selector).focus();
      rings.push(await ring(selector));
    }
    assert.deepEqual(rings, [
      [".la-transcript-scroller", "solid", "-2px"],
      [".la-input", "solid", "2px"],
      [".la-field-check > input", "auto", "2px"],
      [".la-composer [type=submit]", "dotted", "2px"],
      ["body > button", "none", "9px"],
    ]);
  },
);

styledTest(
  "a reset of the page keeps the lines of the tree, marks of tasks and the colour of hints",
  `*, ::before, ::after { border: 0 solid lime; box-sizing: content-box } input::placeholder, textarea::placeholder { color: #9ca3af; opacity: 0.5 }`,
  async (page) => {
    await addParts(page);
    const drawn = (withSheet) =>
      page.evaluate((withSheet) => {
        document.querySelector("link[href='./page.css']").sheet.disabled = !withSheet;
        const pseudo = { ".la-tree-way": ["::before", "::after"], ".la-task-mark": ["::after"], ".la-composer-input": ["::placeholder"], ".la-input": ["::placeholder"] };
        return Object.entries(pseudo).flatMap(([selector, names]) =>
          names.map((name) => {
            const style = getComputedStyle(document.querySelector(selector), name);
            const values = ["border-width", "border-color", "box-sizing", "color", "opacity"].map((property) => style.getPropertyValue(property));
            return `${selector}${name} ${values.join(" ")}`;
          }),
        );
      }, withSheet);
    const within = await drawn(true);
    assert.deepEqual(within, await drawn(false));
    assert.match(within[0], /::before 0px 0px 2px 2px /);
    assert.match(within[2], /::after 0px 2px 2px 0px /);
  },
);

/** The blocks of the guide that set the accent. */
const accents = readFileSync(path.join(ROOT, "docs/guide/src/theming.md"), "utf8").matchAll(/```css\n(:root \{[^`]*--la-accent:[^`]*)```/g);
/** The yellow theme of shadcn, which has a light primary colour. */
const YELLOW = `:root { --background: #fff; --foreground: oklch(0.145 0 0); --primary: oklch(0.852 0.199 91.936); --primary-foreground: oklch(0.421 0.095 57.708) }`;

for (const [at, [, block]] of [...accents].entries()) {
  styledTest(`block ${at + 1} of the guide keeps the label of a hovered button readable`, `${YELLOW} ${block} .la-button { transition: none !important }`, async (page) => {
    assert.match(block, /--la-accent-hover:/);
    for (const colorScheme of ["light", ...(block.includes("light-dark") ? ["dark"] : [])]) {
      await page.emulateMedia({ colorScheme });
      const button = page.locator(".la-composer [type=submit]");
      await page.mouse.move(0, 0);
      const contrast = () =>
        button.evaluate((node) => {
          const context = new OffscreenCanvas(1, 1).getContext("2d");
          const luminance = (colour) => {
            context.fillStyle = colour;
            context.fillRect(0, 0, 1, 1);
            const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
          };
          const { color, backgroundColor } = getComputedStyle(node);
          const [low, high] = [luminance(color), luminance(backgroundColor)].toSorted((one, other) => one - other);
          return { background: backgroundColor, contrast: (high + 0.05) / (low + 0.05) };
        });
      const plain = await contrast();
      await button.hover();
      const hovered = await contrast();
      assert.notEqual(hovered.background, plain.background);
      for (const { background, contrast } of [plain, hovered]) assert.ok(contrast >= 4.5, `${colorScheme}: ${background} ${contrast}`);
    }
  });
}
