import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  plugins: [vue()],
  // Browsers with `light-dark()`: what Vite writes for older ones leaves the chat without colours.
  build: { cssTarget: ["chrome123", "firefox120", "safari17.5"] },
  // The package finds its modules beside its scripts.
  optimizeDeps: { exclude: ["leptos-assistant"] },
});
