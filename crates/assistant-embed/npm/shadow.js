// A chat in a shadow root: the styles of the page do not reach it, apart from inherited properties and `::part` (rule
// "a shadow root"). Fetched for chats with the option `shadow` only. Sheets are constructed, so the page's policy needs
// no `style-src`.

/** The parts of a chat that a page can style with `::part(name)`, by their selectors. */
const PARTS = {
  launcher: ".la-popup-button, .la-sidebar-button",
  box: ".la-popup-body, .la-sidebar-body",
  window: ".la-chat",
  header: ".la-chat-header",
  title: ".la-chat-title",
  transcript: ".la-transcript",
  empty: ".la-empty",
  suggestion: ".la-suggestion",
  message: ".la-message",
  card: ".la-card",
  approval: ".la-approval",
  approve: ".la-approval-approve",
  deny: ".la-approval-deny",
  inbox: ".la-inbox",
  notice: ".la-notice",
  dialog: ".la-dialog",
  composer: ".la-composer",
  input: ".la-composer-input",
  send: ".la-composer [type=submit]",
};
const ANY_PART = Object.values(PARTS).join();

/** The name of the slot of the live regions. */
const LIVE = "leptos-assistant-live";

/** The size of a host; rules of the page take precedence. */
const HOST = `:host(:not([hidden])) { display: block }
:host([layout="popup"]:not([hidden])), :host([layout="sidebar"]:not([hidden])) { display: contents }
.la-shadow { display: contents }
.la-slot { display: block }
.la-place { block-size: 100%; min-block-size: 0 }`;

/** The constructed sheets by their names: promises of `CSSStyleSheet`, shared by all chats of the page. */
const sheets = new Map();

function construct(css) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

/** Returns the sheet with a name, and fetches it at the first call and after a failure. */
function sheetOf(name, url, checked) {
  const known = sheets.get(name);
  if (known) return known;
  const fetched = (checked?.get(name) ?? fetch(url)).then(async (response) => {
    if (!response.ok) throw new Error(`${response.status}`);
    // Looks are chosen by attributes of the host: its ancestors are out of reach.
    return construct((await response.text()).replace(/(\[data-la-(?:theme|palette|density)=[^\]]*\])/g, "$1,:host($1)"));
  });
  const sheet = fetched.catch((cause) => {
    sheets.delete(name);
    throw new Error(`leptos-assistant: ${name} could not be loaded`, { cause });
  });
  sheets.set(name, sheet);
  return sheet;
}

/** Resolves with the sheet of the chat. */
export const fetchStyles = (checked) => sheetOf("style.css", new URL("./style.css", import.meta.url), checked);

/** The shadow root of one chat. */
export class Shadow {
  #host;
  #root;
  /** The functions that check files, if the page demands it. */
  #checked;
  /** Follows the elements of the program. */
  #observer;
  /** The window whose live regions are in the page. */
  #window = null;
  /** The nodes of the page that are shown by slots. */
  #nodes = new Set();

  /** Attaches a shadow root to an element, or empties the one that it has. */
  constructor(host, checked) {
    this.#host = host;
    this.#checked = checked;
    this.#root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    this.place = document.createElement("div");
    this.place.className = "la-shadow";
    this.#root.replaceChildren(this.place);
    this.#root.adoptedStyleSheets = [construct(HOST)];
    this.#observer = new MutationObserver((records) => {
      if (this.#window && !this.place.contains(this.#window)) this.#clear();
      for (const { addedNodes } of records) for (const node of addedNodes) if (node.nodeType === 1) this.#show(node);
    });
    this.#observer.observe(this.#root, { childList: true, subtree: true });
    // A clone of the host has copies of the live regions.
    this.#clear();
  }

  /** Resolves once the styles of the chat apply. */
  async styled() {
    this.add(await fetchStyles(this.#checked));
  }

  /** Adds a sheet to the root, unless it is there. */
  add(sheet) {
    const { adoptedStyleSheets: adopted } = this.#root;
    if (!adopted.includes(sheet)) this.#root.adoptedStyleSheets = [...adopted, sheet];
  }

  /** Replaces nodes of the page by slots that show them; the nodes become children of the host. */
  slots(nodes) {
    const slot = ([name, node]) => {
      node.slot = name;
      this.#nodes.add(node);
      if (node.parentNode !== this.#host) this.#host.append(node);
      return [name, Object.assign(document.createElement("slot"), { name })];
    };
    return nodes && Object.fromEntries(Object.entries(nodes).map(slot));
  }

  /** Sets the part names of an added element and its descendants, and moves live regions into the page. */
  #show(added) {
    for (const element of [added, ...added.querySelectorAll(ANY_PART)]) {
      for (const [name, selector] of Object.entries(PARTS)) if (element.matches(selector)) element.part.add(name);
    }
    const regions = added.querySelector(".la-announcer");
    if (regions) this.#announce(regions);
  }

  /** Moves the live regions of a new chat into the page, at the same place of the accessibility tree. */
  #announce(regions) {
    this.#clear();
    this.#window = regions.closest(".la-chat");
    const inside = Object.assign(document.createElement("div"), { className: "la-visually-hidden" });
    inside.append(Object.assign(document.createElement("slot"), { name: LIVE }));
    regions.replaceWith(inside);
    regions.slot = LIVE;
    this.#host.append(regions);
  }

  /** Removes the live regions of a chat that has ended. */
  #clear() {
    this.#window = null;
    for (const node of this.#host.querySelectorAll(`:scope > [slot=${LIVE}]`)) node.remove();
  }

  /** Empties the root. The root itself cannot be removed from its host. */
  end() {
    this.#clear();
    for (const node of this.#nodes) node.remove();
    this.#observer.disconnect();
    this.#root.replaceChildren();
  }
}

/** Attaches a shadow root to the custom element, with the styles of its launcher. */
export async function open(host, checked) {
  const launcher = await sheetOf("launcher.css", new URL("./launcher.css", import.meta.url), checked);
  const shadow = new Shadow(host, checked);
  shadow.add(launcher);
  return shadow;
}
