import type { Highlight } from "./index.js";

/** The part of highlight.js that is used: its default export, its core or a custom build. */
export interface HighlightJs {
  getLanguage(name: string): unknown;
  highlight(code: string, options: { language: string; ignoreIllegals?: boolean }): { value: string };
}

/**
 * A highlighter that uses highlight.js, which is loaded when the first block of code needs it: `mount(element, { url,
 * highlight: highlightJs(() => import("highlight.js")) })`. Link one of its themes for the colours.
 */
export function highlightJs(load: () => Promise<HighlightJs | { default: HighlightJs }>): Highlight;
