import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  plugins: [react()],
  // The package finds its modules beside its scripts.
  optimizeDeps: { exclude: ["leptos-assistant"] },
});
