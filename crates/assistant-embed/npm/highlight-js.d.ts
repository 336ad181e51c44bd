import type { Highlight } from "./index.js";

/** What of highlight.js is used; its default export, its core or a build of your own. */
export interface HighlightJs {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals?: boolean }): { value: string };
}

/**
 * A highlighter by highlight.js, which is loaded when the first block of code asks for it:
 * `mount(element, { url, highlight: highlightJs(() => import("highlight.js")) })`. Link one of its themes for the colours.
 */
export function highlightJs(load: () => Promise<HighlightJs | { default: HighlightJs }>): Highlight;
