// Attacks by appearance: style rules of the page hide the request, or the important part of it, while Approve still
// takes a click.

/** Rules that are in force before the agent asks; `of` derives them from the selectors of the request and its parts. */
const styled = (name, of, more = {}) => ({
  name,
  attack: { before: (stage) => stage.do((text) => void globalThis.attack.rules(text), of(parts(stage.driver))), ...more },
  expects: { hides: true },
});

/** The user cannot hit the button any more, but it can still be focused. */
const approveByKey = {
  answer: async (stage) => {
    await stage.read();
    await stage.key();
    await stage.settle(600);
    await stage.key();
  },
};

function parts({ place, card, parts }) {
  const below = Object.fromEntries(Object.entries(parts).map(([name, selector]) => [name, `${card} ${selector}`]));
  return { card, ...below, chat: place };
}

export const appearance = [
  styled("the request is transparent", ({ card }) => `${card} { opacity: 0.01 !important }`),
  styled("the chat is transparent", ({ chat }) => `${chat} { opacity: 0.01 !important }`),
  styled("the arguments are transparent", ({ row }) => `${row} { opacity: 0.02 !important }`),
  styled("the title is transparent", ({ title }) => `${title} { opacity: 0.02 !important }`),
  styled("the request is blurred", ({ card }) => `${card} { filter: blur(8px) !important }`),
  styled("the chat is black", ({ chat }) => `${chat} { filter: brightness(0) !important }`),
  styled("the arguments are without contrast", ({ row }) => `${row} { filter: contrast(0) !important }`),
  styled("an SVG filter paints over the arguments", ({ row }) => `${row} { filter: drop-shadow(0 0 0 white) opacity(2%) !important }`),
  styled("the request is clipped to its buttons", ({ card }) => `${card} { clip-path: inset(calc(100% - 60px) 0 0 0) !important }`),
  styled("the arguments are clipped", ({ row }) => `${row} { clip-path: inset(0 100% 0 0) !important }`),
  styled("the request is masked", ({ card }) => `${card} { mask: linear-gradient(transparent, transparent) !important }`),
  styled("the arguments are masked", ({ row }) => `${row} { mask-image: linear-gradient(to right, transparent, transparent) !important }`),
  styled("the arguments are blended into their background", ({ row }) => `${row} { mix-blend-mode: lighten !important; background: white !important }`),
  styled("the request is scaled to a point", ({ card }) => `${card} { transform: scale(0.01) !important }`, approveByKey),
  styled("the request is scaled down", ({ card }) => `${card} { scale: 0.15 !important }`),
  styled("the request is rotated onto its edge", ({ card }) => `${card} { transform: perspective(300px) rotateX(88deg) !important }`),
  styled("the request is upside down", ({ card }) => `${card} { rotate: 180deg !important }`),
  styled("the arguments are moved out of view", ({ row }) => `${row} { transform: translateX(-3000px) !important }`),
  styled("the arguments are under the title", ({ row, title }) => `${row} { position: relative; z-index: -1; inset-block-start: -3000px !important } ${title} { z-index: 2 }`),
  styled("letters of no size", ({ row }) => `${row}, ${row} * { font-size: 0 !important }`),
  styled("letters of one pixel", ({ card }) => `${card}, ${card} * { font-size: 1px !important }`),
  styled("letters in the colour of their background", ({ row }) => `${row}, ${row} * { color: white !important; background: white !important }`),
  styled("the title in the colour of its background", ({ title }) => `${title}, ${title} * { color: white !important; background: white !important }`),
  styled("letters that are not filled", ({ row }) => `${row}, ${row} * { -webkit-text-fill-color: transparent !important }`),
  styled("letters on top of each other", ({ row }) => `${row}, ${row} * { letter-spacing: -1em !important }`),
  styled("letters that are indented out of view", ({ row }) => `${row} { text-indent: -9999px !important; overflow: hidden !important; white-space: normal !important }`),
  styled("a title that is indented out of view", ({ title }) => `${title} * { text-indent: -9999px !important; overflow: hidden !important }`),
  styled("arguments without height", ({ row }) => `${row} { block-size: 0 !important; min-block-size: 0 !important; padding: 0 !important; border: 0 !important; overflow: hidden !important }`),
  styled("arguments that are not displayed", ({ row }) => `${row} { display: none !important }`),
  styled("arguments that are hidden", ({ row }) => `${row}, ${row} * { visibility: hidden !important }`),
  styled("a title that is hidden", ({ title }) => `${title}, ${title} * { visibility: hidden !important }`),
  styled("arguments whose contents are skipped", ({ row }) => `${row} { content-visibility: hidden !important }`),
  styled("the request is zoomed out until it is unreadable", ({ card }) => `${card} { zoom: 0.08 !important }`),
  styled("an image from the style sheet replaces the arguments", ({ row }) => `${row} { content: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='200' height='20'/%3E") !important }`),
  styled("generated content replaces the arguments", ({ row }) => `${row} { font-size: 0 !important } ${row}::before { content: '{ "to": "the weather service" }'; font-size: 14px }`),
  {
    name: "the request becomes transparent 300 ms before the click",
    attack: {
      answer: async (stage) => {
        await stage.ready();
        await stage.aim();
        await stage.do((card) => void globalThis.attack.rules(`${card} { opacity: 0.01 !important }`), stage.driver.card);
        await stage.settle(300);
        await stage.press();
      },
    },
    expects: { hides: true },
  },
  {
    name: "the request is transparent until 60 ms before the click",
    attack: {
      before: (stage) => stage.do((card) => void (globalThis.undo = globalThis.attack.rules(`${card} { opacity: 0.01 !important }`)), stage.driver.card),
      answer: async (stage) => {
        await stage.read();
        await stage.aim();
        await stage.do(() => {
          globalThis.undo();
          globalThis.attack.times.mark();
        });
        await stage.settle(60);
        await stage.quick();
        await stage.shortly();
        await stage.settle();
      },
    },
  },
];
