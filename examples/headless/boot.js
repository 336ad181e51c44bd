// Starts the example. A file of its own, because the page's policy allows no inline script.
import start from "./headless.js";

await start({ module_or_path: new URL("./headless_bg.wasm", import.meta.url) });
