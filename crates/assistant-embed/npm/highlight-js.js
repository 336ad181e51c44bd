// Colours for code blocks by highlight.js, which is loaded when the first block asks for it. See index.d.ts.

/** A highlighter for `mount`'s `highlight`. `load` brings highlight.js, as in `() => import("highlight.js")`. */
export function highlightJs(load) {
  let loading;
  return async (code, language) => {
    loading ??= load();
    const loaded = await loading;
    const hljs = loaded.default ?? loaded;
    if (!hljs.getLanguage(language)) return [];
    return tokens(hljs.highlight(code, { language, ignoreIllegals: true }).value);
  };
}

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };

/**
 * What highlight.js writes as text with `<span class="…">` around it, as pairs of text and classes. It is never put into
 * the page as HTML; and the chat takes tokens only if together they are the code.
 */
function tokens(html) {
  const found = [];
  const classes = [];
  for (const [piece, opened] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (opened !== undefined) classes.push(opened);
    else if (piece === "</span>") classes.pop();
    else found.push([piece.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity]), classes.join(" ")]);
  }
  return found;
}
