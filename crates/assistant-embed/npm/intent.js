// The moments at which the program is loaded (rule "the custom element").

/** The maximum distance at which a pointer counts as near, in pixels. */
const NEAR = 96;

/** Calls back when the browser is idle. */
export function whenIdle(signal, load) {
  const act = () => signal.aborted || load();
  if (globalThis.requestIdleCallback) requestIdleCallback(act, { timeout: 5_000 });
  else setTimeout(act, 1_000);
}

/** Calls back when an element is visible. */
export function whenVisible(element, signal, load) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    load();
  });
  observer.observe(element);
  signal.addEventListener("abort", () => observer.disconnect());
}

/**
 * Calls back when the user is about to use a button: a pointer is near the button, or the button is focused or touched.
 * Without a button, calls back at the first input of the user anywhere on the page.
 */
export function atIntent(button, signal, load) {
  const once = new AbortController();
  signal.addEventListener("abort", () => once.abort());
  const listen = (target, kind, act) => target.addEventListener(kind, act, { signal: once.signal, passive: true, capture: true });
  const go = () => {
    once.abort();
    load();
  };
  if (!button) {
    for (const kind of ["pointerdown", "pointermove", "keydown"]) listen(document, kind, go);
    return;
  }
  for (const kind of ["focus", "pointerdown"]) listen(button, kind, go);
  let looked = -Infinity;
  listen(document, "pointermove", ({ clientX, clientY, timeStamp }) => {
    if (timeStamp - looked < 100) return;
    looked = timeStamp;
    const box = button.getBoundingClientRect();
    const isNear = clientX > box.left - NEAR && clientX < box.right + NEAR && clientY > box.top - NEAR && clientY < box.bottom + NEAR;
    if (isNear) go();
  });
}
