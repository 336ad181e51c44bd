// Wraps a page's store of approvals, whose functions may throw, never answer, or answer out of order.
import { FUNCTION, isObject, needFunction } from "./checks.js";
import { complaining, snapshot, withTimeout, written } from "./foreign.js";

const FIELDS = { load: FUNCTION, change: FUNCTION, swap: FUNCTION, onChange: FUNCTION };

/**
 * The last step of each store. The functions of a store are called one after the other, also for several chats, because
 * an approval must not be removed before it is added.
 */
const steps = new WeakMap();

/**
 * Returns the wrapped functions of a store, whose other members are ignored, because a store may be an instance of a
 * class. `call` runs a function of the program, and throws if the chat cannot be used any more.
 */
export function approvalStore(store, call) {
  const where = "persistApprovals";
  const { load, change, swap, onChange } = snapshot(where, store ?? {}, FIELDS);
  needFunction(`${where}: \`load\``, load);
  needFunction(`${where}: \`change\``, change);
  const complain = complaining(`\`${where}\``);
  const attempt = (act) => {
    try {
      return act();
    } catch (error) {
      complain(error);
    }
  };
  /** Calls a function after the earlier steps, each of which takes ten seconds at most. */
  const inTurn = (act) => {
    const before = steps.get(store) ?? Promise.resolve();
    const step = before.catch(() => {}).then(() => withTimeout(act()));
    steps.set(store, step);
    return step;
  };
  /** The ids of all approvals that the page has removed. */
  let removedIds = [];
  /**
   * Adds and removes approvals after the earlier steps. An addition that ends after its step may have stored an approval
   * that was removed meanwhile, so the removals are repeated then.
   */
  const changeInTurn = async (added, removed) => {
    removedIds = removed;
    let ended;
    try {
      await inTurn(() => (ended = Promise.resolve(change.call(store, added, removed))));
    } catch (error) {
      complain(error);
      await ended?.catch(() => {});
      if (added.length > 0 && removedIds.length > 0) await changeInTurn([], removedIds);
    }
  };
  const answering = (act, read) => async (args) => {
    try {
      return written(read(await inTurn(() => act(JSON.parse(args)))));
    } catch (error) {
      return complain(error);
    }
  };
  const wrapped = {
    load: answering(() => {
      // Throws after the chat was removed, which reads no more approvals.
      call(() => {});
      return load.call(store);
    }, list),
    change: (changes) => void changeInTurn(...JSON.parse(changes)),
    /** Calls `changed` after each change by another writer, until the returned function is called. */
    onChange(changed) {
      let active = true;
      const notify = () => active && attempt(() => call(() => changed()));
      const end = attempt(() => onChange && needFunction(`${where}: \`onChange\` must return a function`, onChange.call(store, notify)));
      return () => {
        active = false;
        attempt(() => end?.());
      };
    },
  };
  if (swap) wrapped.swap = answering(([before, after]) => swap.call(store, before, after), swapped);
  return wrapped;
}

/** Checks the approvals that `load` returns. */
function list(value) {
  if (!Array.isArray(value)) throw new TypeError("`load` must return a list of approvals");
  return value;
}

/** Checks the result of `swap`: true, or the stored approval, or null if there is none. */
function swapped(value) {
  if (value === true) return { done: true };
  if (value !== null && !isObject(value)) throw new TypeError("`swap` must return true, the stored approval, or null");
  return { found: value };
}
