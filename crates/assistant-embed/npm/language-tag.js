// The languages of the labels.

/** The codes of the languages other than English. */
export const CODES = ["ar", "de", "es", "fr", "ja", "pt", "zh"];

/** The subtags of Chinese in traditional characters. */
const TRADITIONAL = ["hant", "tw", "hk", "mo"];

/** Returns the code of the labels for a language tag; `undefined` for English and for languages without labels. */
export function languageOf(tag) {
  const [language, ...others] = tag.toLowerCase().split("-");
  if (language === "zh" && others.some((part) => TRADITIONAL.includes(part))) return undefined;
  return CODES.includes(language) ? language : undefined;
}

/** Returns the text direction of a language. */
export const directionOf = (code) => (code === "ar" ? "rtl" : "ltr");
