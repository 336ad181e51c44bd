// Wraps a page's store of approvals, whose functions may throw, never answer, or answer out of order.
import { FUNCTION, isObject, needFunction } from "./checks.js";
import { calling, callingAsync, complaining, json, snapshot, withTimeout } from "./foreign.js";

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
  const named = (name) => `\`${where}\`: \`${name}\``;
  const complain = complaining(`\`${where}\``);
  const attempt = (act) => {
    try {
      return act();
    } catch (error) {
      complain(error);
    }
  };
  /** The approvals that were loaded or kept last; undefined until they are loaded. */
  let stored;
  /** The functions of the store are called one after the other: an earlier list must not be stored after a later one. */
  let last = Promise.resolve();
  const inTurn = (act) => (last = last.catch(() => {}).then(() => withTimeout(act())));
  const read = async () => {
    // Throws after the chat was removed, which reads no more approvals.
    call(() => {});
    try {
      stored = JSON.parse(json(named("load"), list(await load.call(store))));
    } catch (error) {
      if (!stored) throw error;
      complain(error);
    }
    return stored;
  };
  const write = async (approvals, early) => {
    if (!stored) throw new Error("An approval was not stored, because the stored ones could not be loaded");
    const ids = new Set(approvals.map(({ id }) => id));
    // The program did not know the stored approvals yet, so they are no removed ones.
    const all = early ? [...stored.filter((one) => !ids.has(one?.id)), ...approvals] : approvals;
    await keep.call(store, all);
    stored = all;
  };
  const wrapped = {
    load: callingAsync(named("load"), () => inTurn(read), "string", (value) => value),
    keep(approvals) {
      const early = !stored;
      inTurn(() => write(JSON.parse(approvals), early)).catch(complain);
    },
    /** Calls `changed` after each change by another writer, until the returned function is called. */
    onChange(changed) {
      let active = true;
      const notify = () => active && attempt(() => call(() => changed()));
      const end = attempt(() => onChange && needFunction(`${named("onChange")} must return a function`, onChange.call(store, notify)));
      return () => {
        active = false;
        attempt(() => end?.());
      };
    },
  };
  if (swap) wrapped.swap = callingAsync(named("swap"), ([before, after]) => inTurn(() => swap.call(store, before, after)), "string", swapped);
  return wrapped;
}

/** Checks the approvals that `load` returns. */
function list(value) {
  if (!Array.isArray(value)) throw new TypeError("it must return a list of approvals");
  return value;
}

/** Checks the result of `swap`: true, or the stored approval, or null if there is none. */
function swapped(value) {
  if (value === true) return { done: true };
  if (value !== null && !isObject(value)) throw new TypeError("it must return true, the stored approval, or null");
  return { found: value };
}
