// Highlights code blocks with highlight.js, which is loaded when the first block needs it. See index.d.ts.

/**
 * Returns a highlighter for `mount`'s `highlight`. `load` imports highlight.js, as in `() => import("highlight.js")`.
 */
export function highlightJs(load) {
  let loading;
  return async (code, language) => {
    loading ??= load();
    let loaded;
    try {
      loaded = await loading;
    } catch (error) {
      // The next block tries again.
      loading = undefined;
      throw error;
    }
    const hljs = loaded.default ?? loaded;
    if (!hljs.getLanguage(language)) return [];
    return tokens(hljs.highlight(code, { language, ignoreIllegals: true }).value);
  };
}

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };

/**
 * Converts the `<span class="…">` output of highlight.js to pairs of text and classes. The output is never inserted as
 * HTML, and the chat accepts tokens only if they equal the code when joined.
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
