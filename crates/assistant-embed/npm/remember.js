// Validates how a page remembers an approval.

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;

const SCOPES = ["conversation", "session", "always"];
const BOUNDS = { scope: 0, anyArgs: 0, uses: 0, lasts: 0, upTo: 0 };
/** The check of how an approval is remembered: a misspelt bound would remember it without one. */
export const REMEMBER = [
  (value) =>
    isObject(value) &&
    Object.keys(value).every((name) => Object.hasOwn(BOUNDS, name)) &&
    SCOPES.includes(value.scope) &&
    (value.anyArgs === undefined || typeof value.anyArgs === "boolean") &&
    (value.uses === undefined || (isCount(value.uses) && value.uses < 2 ** 32)) &&
    (value.lasts === undefined || isCount(value.lasts)) &&
    (value.upTo === undefined || (isObject(value.upTo) && Object.values(value.upTo).every(Number.isFinite))),
  `an object with a \`scope\` (${SCOPES.join(", ")}), and \`anyArgs\`, \`uses\`, \`lasts\`, \`upTo\``,
];
