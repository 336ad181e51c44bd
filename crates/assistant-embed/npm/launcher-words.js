// The words of a launcher before the program is there.
const ENGLISH = { known: false, title: "Assistant", unread: "New message", loading: "Loading", failed: "The chat could not be loaded.", retry: "Retry" };

/** Returns the words of a launcher in a language. */
export const wordsOf = () => ENGLISH;
