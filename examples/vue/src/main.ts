// Bundled, so that the styles arrive with the page.
import "leptos-assistant/style.css";
import { createApp } from "vue";
import App from "./App.vue";
import "./page.css";

createApp(App).mount("#app");
