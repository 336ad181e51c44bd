import start from "./board.js";

await start();
