import start from "./headless.js";

await start();
