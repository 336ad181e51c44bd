import start from "./routes.js";

await start();
