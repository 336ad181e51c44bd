// The fonts of the tests: the same on every machine, so that layouts do not depend on what its system brings. The system's
// fonts are used for writing systems that these fonts do not cover.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

import { ROOT } from "./servers.mjs";

const MODULES = path.join(ROOT, "node_modules");

/** Sets of fonts. Letters of `wide` are about an eighth wider than those of `normal`. */
const SETS = {
  normal: { sans: "Arimo", mono: "Cousine", folders: ["@expo-google-fonts/arimo", "@expo-google-fonts/cousine"] },
  wide: { sans: "DejaVu Sans", mono: "DejaVu Sans Mono", folders: ["dejavu-fonts-ttf/ttf"] },
};

/** Families that the style sheets name and a system may have. They are hidden, so that the chosen set applies. */
const NAMED = [
  "Segoe UI",
  "Segoe UI Mono",
  "Roboto",
  "Roboto Mono",
  "Noto Sans",
  "Noto Sans Mono",
  "Liberation Sans",
  "Liberation Mono",
  "Cascadia Mono",
  "DejaVu Sans",
  "DejaVu Sans Mono",
  "DejaVu Math TeX Gyre",
];

/** Returns the environment in which a browser uses a set of fonts, and a function that removes its files. */
export function fontsOf(name) {
  const { sans, mono, folders } = SETS[name];
  const folder = mkdtempSync(path.join(os.tmpdir(), "fonts-"));
  const hidden = NAMED.filter((family) => family !== sans && family !== mono);
  const config = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  ${folders.map((each) => `<dir>${path.join(MODULES, each)}</dir>`).join("\n  ")}
  <cachedir>${path.join(folder, "cache")}</cachedir>
  <selectfont>
    ${hidden.map((family) => `<rejectfont><pattern><patelt name="family"><string>${family}</string></patelt></pattern></rejectfont>`).join("\n    ")}
  </selectfont>
  <match target="pattern">
    <test qual="any" name="family"><string>monospace</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>${mono}</string></edit>
  </match>
  <match target="pattern">
    <edit name="family" mode="append_last" binding="weak"><string>${sans}</string></edit>
  </match>
</fontconfig>
`;
  const file = path.join(folder, "fonts.conf");
  writeFileSync(file, config);
  return {
    env: { ...process.env, FONTCONFIG_FILE: file },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
