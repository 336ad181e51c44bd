// Waits until nothing moves any more. Messages are drawn over several frames, and their position is corrected in the
// frame after each, so that one measurement can be between the two.

/** The number of frames without a change after which the view is at rest, and the largest number of frames until then. */
const [REST_FRAMES, MAX_FRAMES] = [8, 1_200];

/**
 * Waits until the transcript has messages and neither moves nor grows. Returns the id of the first message that begins in
 * the view, or else of the last one, and its distance from the top of the view.
 */
export function transcriptAtRest(chat) {
  return chat.log.evaluate(
    async (log, [restFrames, maxFrames]) => {
      const look = () => {
        const edge = log.getBoundingClientRect().top;
        const messages = [...log.querySelectorAll("[data-message-id]")];
        const first = messages.find((message) => message.getBoundingClientRect().top >= edge);
        const marked = first ?? messages.at(-1);
        const mark = marked && { id: marked.dataset.messageId, top: marked.getBoundingClientRect().top - edge };
        return { mark, state: JSON.stringify([mark, messages.length, log.scrollTop, log.scrollHeight, log.clientHeight]) };
      };
      let [last, same] = [look(), 0];
      for (let frames = 0; same < restFrames || !last.mark; frames++) {
        if (frames === maxFrames) throw new Error(`the transcript does not come to rest: ${last.state}`);
        await new Promise(requestAnimationFrame);
        const now = look();
        same = now.state === last.state ? same + 1 : 0;
        last = now;
      }
      return last.mark;
    },
    [REST_FRAMES, MAX_FRAMES],
  );
}

/** Waits until an element does not move. Returns the position of its top edge in the window. */
export function topAtRest(element) {
  return element.evaluate(
    async (node, [restFrames, maxFrames]) => {
      let [last, same] = [undefined, 0];
      for (let frames = 0; same < restFrames; frames++) {
        if (frames === maxFrames) throw new Error(`the element does not come to rest: ${last}`);
        await new Promise(requestAnimationFrame);
        const { top } = node.getBoundingClientRect();
        same = top === last ? same + 1 : 0;
        last = top;
      }
      return last;
    },
    [REST_FRAMES, MAX_FRAMES],
  );
}
