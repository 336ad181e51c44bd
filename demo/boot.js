// Starts the demo. A file of its own, because the page's policy allows no inline script. It says plainly in the
// page when the program cannot be loaded. The program itself is demo/src; the page is index.html.

const note = document.getElementById("boot");

try {
  const { default: start } = await import("./demo.js");
  await start({ module_or_path: new URL("./demo_bg.wasm", import.meta.url) });
  note?.remove();
} catch (error) {
  console.error(error);
  if (note) {
    note.setAttribute("role", "alert");
    note.textContent =
      "The demo could not be loaded. It needs a browser with WebAssembly, and the files demo.js and demo_bg.wasm beside this page.";
  }
}
