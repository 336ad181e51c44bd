// A recording of a chat, for comparisons: the requests, the texts of cards, the audit and the stored conversation, with
// random ids and times replaced.

import { read } from "./chat.mjs";

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Milliseconds since 1970, and durations in milliseconds. */
const TIME = /\b1\d{12}\b|(?<=Ms\\?":)\d+(?:\.\d+)?/g;

/** Replaces times, and ids by the order of their appearance. */
export class Placeholders {
  #ids = new Map();

  /** Returns the text with placeholders. */
  of(text) {
    return text.replace(TIME, "<time>").replace(ID, (id) => {
      if (!this.#ids.has(id)) this.#ids.set(id, `<id ${this.#ids.size + 1}>`);
      return this.#ids.get(id);
    });
  }

  /**
   * Returns texts with placeholders, sorted. Texts that are sorted by a random id have no order of their own, so ids that
   * are unknown are numbered after sorting.
   */
  sorted(texts) {
    const known = (text) => text.replace(TIME, "<time>").replace(ID, (id) => this.#ids.get(id) ?? "<id>");
    const keyed = texts.map((text) => [known(text), text]).sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
    return keyed.map(([, text]) => this.of(text));
  }
}

/** Returns the state and the text of a card, of a request once it can be approved. */
export async function cardText(card) {
  if (await card.locator(".la-approval-end").count()) await read(card, /^(Approve(:|$)|Review$)/);
  const { status, phase } = await card.evaluate(({ dataset }) => ({ status: dataset.status, phase: dataset.phase }));
  return `${status}, ${phase}\n${await card.innerText()}`;
}

/**
 * Returns the entries of the journal, and the records of conversations, as texts in a database of the page's origin. The
 * page with the chat should be closed, because it writes its last changes then.
 */
export function storedTexts(page, name) {
  return page.evaluate(async (name) => {
    const result = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await result(indexedDB.open(name));
    const transaction = database.transaction(["journal", "records"]);
    const [journal, records] = await Promise.all(
      ["journal", "records"].map(async (store) => {
        const values = await result(transaction.objectStore(store).getAll());
        return values.map(([name, text]) => `${name}: ${text}`);
      }),
    );
    database.close();
    return { journal, records };
  }, name);
}
