import start from "./orders.js";

await start();
