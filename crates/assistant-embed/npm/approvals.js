// Wraps a page's store of approvals, whose functions may throw or never answer.
import { FUNCTION, isObject, needFunction } from "./checks.js";
import { calling, callingAsync, complaining, snapshot } from "./foreign.js";

const FIELDS = { load: FUNCTION, keep: FUNCTION, swap: FUNCTION, onChange: FUNCTION };

/**
 * Returns the wrapped functions of a store, whose other members are ignored, because a store may be an instance of a
 * class. `call` runs a function of the program, and throws if the chat cannot be used any more.
 */
export function approvalStore(store, call) {
  const where = "persistApprovals";
  const { load, keep, swap, onChange } = snapshot(where, store ?? {}, FIELDS);
  needFunction(`${where}: \`load\``, load);
  needFunction(`${where}: \`keep\``, keep);
  const complain = complaining(`\`${where}\``);
  const attempt = (act) => {
    try {
      return act();
    } catch (error) {
      complain(error);
    }
  };
  const wrapped = {
    load: callingAsync(`\`${where}\`: \`load\``, () => load.call(store), "string", list),
    // The async function also catches what `keep` throws before it returns a promise.
    keep: calling(where, (approvals) => void (async () => keep.call(store, approvals))().catch(complain), "string", () => null),
    /** Calls `changed` after each change by another writer, until the returned function is called. */
    onChange(changed) {
      let active = true;
      const notify = () => active && attempt(() => call(() => changed()));
      const end = attempt(() => onChange?.call(store, notify));
      return () => {
        active = false;
        attempt(() => end?.());
      };
    },
  };
  if (swap) wrapped.swap = callingAsync(`\`${where}\`: \`swap\``, ([before, after]) => swap.call(store, before, after), "string", swapped);
  return wrapped;
}

/** Checks the approvals that `load` returns. */
function list(value) {
  if (!Array.isArray(value)) throw new TypeError("it must return a list of approvals");
  return value;
}

/** Checks the result of `swap`: true, or the stored approval, or null if there is none. */
function swapped(value) {
  if (value === true) return {};
  if (value !== null && !isObject(value)) throw new TypeError("it must return true, the stored approval, or null");
  return { found: value };
}
