// Attacks by input: events that the user did not cause, or meant for something else.

/** Waits until an approval would count, then has a script activate Approve. */
const scripted = (name, act) => ({
  name,
  attack: {
    answer: async (stage) => {
      await stage.ready();
      await stage.button.evaluate(act);
      await stage.settle();
    },
  },
});

/** A user without a mouse: moves to Approve by Tab, and presses Enter there. */
const BY_KEY = {
  answer: async (stage) => {
    await stage.read();
    await stage.request.getByRole("button").first().focus();
    const there = () => stage.button.evaluate((button) => button === document.activeElement);
    for (let tab = 0; tab < 6 && !(await there()); tab++) await stage.page.keyboard.press("Tab");
    await stage.settle(300);
    await stage.picture();
    await stage.page.keyboard.press("Enter");
    await stage.settle();
  },
};

/** Waits until an approval would count, prepares the page, and has the user act. */
const redirected = (name, prepare, act, twin) => ({
  name,
  twin,
  attack: {
    answer: async (stage) => {
      await stage.ready();
      await stage.button.evaluate(prepare, stage.driver.card);
      await act(stage);
      await stage.settle();
    },
  },
});

const pressBait = async (stage) => {
  const box = await stage.page.locator("#bait").boundingBox();
  await stage.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
};

/** Types in a field of the page and holds a key there. */
const hold = (key, times) => async (stage) => {
  await stage.page.locator("#field").focus();
  for (let repeat = 0; repeat < times; repeat++) {
    await stage.page.keyboard.down(key);
    await stage.settle(40);
  }
  await stage.page.keyboard.up(key);
};

/** A field of the page from which a script moves the focus. */
const field = (event) => `
  const field = document.createElement("input");
  field.id = "field";
  Object.assign(field.style, { position: "fixed", right: "40px", top: "40px" });
  document.body.append(field);
  let count = 0;
  field.addEventListener("${event}", () => { if (++count > AFTER) button.focus(); });
`;
const stealFocus = (event, after = 0) => new Function("button", field(event).replace("AFTER", after));

/** Keeps the focus on Approve while the user types in a field of the page. Enter follows the last letter shortly. */
const keepFocus = (stage) =>
  stage.do((card) => {
    const field = document.createElement("textarea");
    field.id = "field";
    Object.assign(field.style, { position: "fixed", right: "40px", top: "40px" });
    document.body.append(field);
    field.focus();
    globalThis.attack.frames(() => document.querySelector(`${card} button`)?.focus());
    addEventListener("keydown", (event) => /^\S$/.test(event.key) && globalThis.attack.times.mark(event.timeStamp), true);
  }, stage.driver.card);

export const input = [
  scripted("click() of a script", (button) => button.click()),
  scripted("a mouse event of a script", (button) => button.dispatchEvent(new MouseEvent("click", { bubbles: true, composed: true, detail: 1 }))),
  scripted("all pointer and mouse events of a press by a script", (button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    const given = { bubbles: true, composed: true, cancelable: true, detail: 1, clientX: left + width / 2, clientY: top + height / 2, pointerId: 1 };
    for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
      button.dispatchEvent(new (type.startsWith("pointer") ? PointerEvent : MouseEvent)(type, given));
    }
  }),
  scripted("a script that forges isTrusted", (button) => {
    const event = new MouseEvent("click", { bubbles: true, detail: 1 });
    Object.setPrototypeOf(event, new Proxy(MouseEvent.prototype, { get: (of, name) => (name === "isTrusted" ? true : Reflect.get(of, name, event)) }));
    button.dispatchEvent(event);
  }),
  scripted("Enter of a script", (button) => {
    button.focus();
    for (const type of ["keydown", "keypress", "keyup"]) button.dispatchEvent(new KeyboardEvent(type, { key: "Enter", code: "Enter", keyCode: 13, bubbles: true }));
  }),
  scripted("Space of a script", (button) => {
    button.focus();
    for (const type of ["keydown", "keypress", "keyup"]) button.dispatchEvent(new KeyboardEvent(type, { key: " ", code: "Space", keyCode: 32, bubbles: true }));
  }),
  scripted("a scripted submit of a form around the request", (button) => {
    const form = document.createElement("form");
    form.addEventListener("submit", (event) => event.preventDefault());
    button.closest("[role=group]").before(form);
    form.append(button.closest("[role=group]"));
    button.type = "submit";
    form.requestSubmit(button);
  }),
  {
    name: "the form for other arguments, submitted by a script",
    attack: {
      answer: async (stage) => {
        await stage.ready();
        const change = stage.request.getByText("Change…", { exact: true });
        if ((await change.count()) === 0) return;
        const more = stage.request.locator("details:not([open]) > summary", { hasText: /^\s*More\s*$/ });
        if (await more.count()) await more.click();
        await change.click();
        await stage.request.locator("form").waitFor();
        await stage.settle(700);
        await stage.request.locator("form").evaluate((form) => {
          form.requestSubmit();
          form.querySelector("[type=submit]").click();
        });
        await stage.settle();
      },
    },
  },
  redirected(
    "a scripted click during a trusted press on another part of the request",
    (button, card) => document.querySelector(card).addEventListener("click", (event) => event.isTrusted && button.click(), { once: true }),
    async (stage) => {
      const box = await stage.request.locator(stage.driver.parts.title).boundingBox();
      await stage.page.mouse.click(box.x + 5, box.y + 5);
    },
  ),
  redirected(
    "Approve is moved out of the request and clicked by a script during a trusted press",
    (button, card) =>
      document.querySelector(card).addEventListener("click", (event) => {
        if (!event.isTrusted) return;
        document.body.append(button);
        button.click();
      }, { once: true }),
    async (stage) => {
      const box = await stage.request.locator(stage.driver.parts.title).boundingBox();
      await stage.page.mouse.click(box.x + 5, box.y + 5);
    },
  ),
  redirected(
    "Approve is moved to where the user presses something else",
    (button) => {
      const bait = globalThis.attack.bait();
      bait.replaceChildren();
      const { left, top } = bait.getBoundingClientRect();
      document.body.append(button);
      Object.assign(button.style, { position: "fixed", left: `${left}px`, top: `${top}px`, width: "160px", height: "48px", zIndex: "20" });
    },
    pressBait,
  ),
  redirected(
    "a label of the page forwards its click to Approve",
    (button) => {
      button.id = "approve";
      const label = document.createElement("label");
      label.htmlFor = "approve";
      label.textContent = "Next";
      label.id = "bait";
      Object.assign(label.style, { position: "fixed", right: "40px", bottom: "300px", width: "160px", height: "48px", background: "silver" });
      document.body.append(label);
    },
    pressBait,
  ),
  redirected(
    "Approve is stretched over the page, and cannot be seen there",
    (button) => {
      globalThis.attack.bait();
      button.classList.add("stretched");
      globalThis.attack.rules(`.stretched::after { content: ""; position: fixed; inset: 0; z-index: 99; }`);
      const open = { overflow: "visible", contain: "none", containerType: "normal", transform: "none", filter: "none", isolation: "auto" };
      for (let node = button; node; node = node.parentElement) Object.assign(node.style, open);
      for (let node = button.parentElement; node !== document.body; node = node.parentElement) Object.assign(node.style, { zIndex: "99" });
      const { left, top, width, height } = document.querySelector("#bait").getBoundingClientRect();
      if (document.elementFromPoint(left + width / 2, top + height / 2) !== button) throw new Error("the button is not stretched");
    },
    pressBait,
  ),
  redirected(
    "a press on something else is captured for Approve",
    (button) => globalThis.attack.bait().addEventListener("pointerdown", (event) => button.setPointerCapture(event.pointerId)),
    pressBait,
  ),
  redirected("the focus moves to Approve when a key is pressed elsewhere: Enter", stealFocus("keydown"), hold("Enter", 1), BY_KEY),
  redirected("the focus moves to Approve when a key is pressed elsewhere: Space", stealFocus("keydown"), hold("Space", 1), BY_KEY),
  redirected("the focus moves to Approve while a key is held elsewhere: Enter", stealFocus("keydown", 2), hold("Enter", 8), BY_KEY),
  redirected("the focus moves to Approve while a key is held elsewhere: Space", stealFocus("keydown", 2), hold("Space", 8), BY_KEY),
  redirected("the focus moves to Approve before a key is released elsewhere: Space", stealFocus("keyup"), hold("Space", 1), BY_KEY),
  {
    name: "a page that keeps the focus on Approve while the user types",
    attack: {
      before: keepFocus,
      answer: async (stage) => {
        // Longer than the delay until an approval counts.
        for (let key = 0; key < 14; key++) {
          await stage.page.keyboard.press("a");
          await stage.page.keyboard.press("Enter");
          await stage.settle(70);
        }
        await stage.shortly();
      },
    },
  },
  {
    name: "a page that keeps the focus on Approve while the user types, and is busy after each letter",
    attack: {
      before: keepFocus,
      answer: async (stage) => {
        await stage.ready();
        await stage.do(() =>
          addEventListener("keydown", (event) => {
            const end = performance.now() + 700;
            while (event.key === "a" && performance.now() < end);
          }),
        );
        const { keyboard } = stage.page;
        await Promise.all([keyboard.press("a"), keyboard.press("Enter")]);
        await stage.shortly();
        await stage.settle();
      },
    },
  },
];
