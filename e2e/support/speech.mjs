// Collects the announcements of the live regions of a chat, in order.

/**
 * Records changes of live regions from now on: the kind of the region and the text. Returns a function that returns the
 * list so far.
 */
export async function listen(chat) {
  await chat.root.evaluate((root) => {
    const announced = (globalThis.announced = []);
    const live = (node) => {
      for (let element = node; element && element !== root.parentElement; element = element.parentElement) {
        const role = element.getAttribute("role");
        const politeness = element.getAttribute("aria-live");
        // Progress bars and timers are not live by themselves.
        if (politeness === "off" || (!politeness && !["log", "status", "alert"].includes(role))) continue;
        return { role: role ?? (politeness === "assertive" ? "alert" : "status"), element };
      }
      return null;
    };
    const note = (element) => {
      if (!(element instanceof Element)) return;
      // A region that is inserted with its text: of these, only alerts are announced.
      const inner = element.matches("[role=alert], [role=status]") ? [element] : [...element.querySelectorAll("[role=alert]")];
      const region = live(element);
      if (region) return say(region.role, element.textContent);
      for (const one of inner) say(one.getAttribute("role"), one.textContent);
    };
    const say = (region, text) => {
      const words = text.replace(/\s+/g, " ").trim();
      if (words) announced.push({ region, text: words });
    };
    new MutationObserver((records) => {
      for (const { type, target, addedNodes } of records) {
        if (type === "characterData") {
          const region = live(target.parentElement);
          if (region) say(region.role, target.data);
        }
        for (const node of addedNodes) {
          if (node instanceof Element) note(node);
          else if (node instanceof Text && node.data.trim()) {
            const region = live(node.parentElement);
            if (region) say(region.role, node.data);
          }
        }
      }
    }).observe(root, { subtree: true, childList: true, characterData: true });
  });
  // On a slow machine a pause may be long enough for this announcement.
  return () => chat.page.evaluate(() => globalThis.announced.filter(({ text }) => text !== "Still working"));
}
