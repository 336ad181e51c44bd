// The conversation of the demo's page, in a form that can be compared between agents and protocols.

/** The address of the demo that talks to an agent and stores the conversation `id` over reloads. */
export function pageOf(page, { agent, protocol, model, chat }) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ agent, protocol, model, chat })) if (value) query.set(name, value);
  return `${page.url}?${query}`;
}

/** The conversation that a page has stored under this id, including unsaved changes. */
export async function conversationOf(page, id) {
  const { outline, ...others } = await page.evaluate(async (id) => {
    const answer = (request) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    globalThis.dispatchEvent(new Event("pagehide"));
    const database = await answer(indexedDB.open("harbor"));
    const records = database.transaction("records").objectStore("records");
    const stored = await answer(records.getAll(IDBKeyRange.bound([id, ""], [id, "\uffff"])));
    database.close();
    return Object.fromEntries(stored.map(([name, text]) => [name, JSON.parse(text)]));
  }, id);
  const messages = outline.messages.map(({ parent, id }) => ({ parent, message: others[`message/${id}`] }));
  return { ...outline, messages };
}

/**
 * The path of a conversation without its ids, times and usage: one entry for each message, `[role, ...parts]`. Texts are
 * `text: …`, calls are objects.
 */
export function sketch({ messages, tip }) {
  const byId = new Map(messages.map(({ parent, message }) => [message.id, { parent, message }]));
  const path = [];
  for (let entry = byId.get(tip); entry; entry = byId.get(entry.parent)) path.unshift(entry.message);
  return path.map(({ role, parts }) => [role, ...parts.map(part)]);
}

function part(part) {
  if (part.type === "text") return `text: ${part.text}`;
  if (part.type !== "tool-call") return part.type;
  // A record has the text of the arguments where that is more than their value.
  const { toolName: name, input = parsed(part.argsText), state, output, error } = part;
  return { name, input, state, ...(output !== undefined && { output }), ...(error && { error: error.message }) };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
