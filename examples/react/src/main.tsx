import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "leptos-assistant/style.css";
import { App } from "./App";
import "./page.css";

createRoot(document.getElementById("app")!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
