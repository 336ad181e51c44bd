import vue from "@vitejs/plugin-vue";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  plugins: [vue()],
  // The package finds its modules beside its scripts.
  optimizeDeps: { exclude: ["leptos-assistant"] },
});
