// Creates elements by DOM methods, which every policy of a page allows, for the views that exist before the program.

const SVG = "http://www.w3.org/2000/svg";

/** Appends a new element to `parent`. */
export function create(parent, tag, className, attributes = {}) {
  const element = document.createElement(tag);
  element.className = className;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return parent.appendChild(element);
}

/** Creates an icon; `draw` sets its path. */
export function icon() {
  const svg = document.createElementNS(SVG, "svg");
  const path = svg.appendChild(document.createElementNS(SVG, "path"));
  for (const [name, value] of Object.entries({ class: "la-icon", viewBox: "0 0 20 20", "aria-hidden": "true", fill: "none", stroke: "currentColor" })) {
    svg.setAttribute(name, value);
  }
  return { svg, draw: (line) => path.setAttribute("d", line) };
}

/** Returns true if a style sheet with this mark applies to an element. */
export const isStyled = (element, mark) => getComputedStyle(element).getPropertyValue(mark).trim() !== "";

export const say = (place, text) => (create(place, "p", "la-shell-text").textContent = text);

/** Shows that the program could not be loaded, with a button that retries. */
export function report(place, words, again) {
  say(place, words.failed);
  const retry = create(place, "button", "la-button", { type: "button" });
  retry.textContent = words.retry;
  retry.addEventListener("click", again);
}
