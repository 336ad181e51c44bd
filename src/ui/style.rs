//! The style sheet of all components.

/// Joins sheets of the folder `style/`. `cargo xtask style` reads the list below and joins the
/// sheets in the same way.
macro_rules! sheets {
    ($first:literal $(, $name:literal)* $(,)?) => {
        concat!(
            include_str!("../../style/layer.css"),
            "@layer leptos-assistant {\n",
            include_str!(concat!("../../style/", $first, ".css")),
            $("\n", include_str!(concat!("../../style/", $name, ".css")),)*
            "}\n\n",
            include_str!("../../style/guard.css"),
            "\n",
            include_str!("../../style/pseudo.css"),
        )
    };
}

/// The style sheet of all components, to be served, or written to a file that the page links. The
/// style sheet references no font, image or other file. In a checkout, `cargo xtask style` writes
/// the style sheet to `style/all.css`.
///
/// A host changes the appearance by setting custom properties (`--la-…`, at the top of the sheet).
/// All rules are in the cascade layer `leptos-assistant`, except for a few rules that protect the
/// components from a host's rules for bare elements.
///
/// ```
/// // A server responds with the sheet; a static application writes the sheet into its folder.
/// let sheet = ("text/css", leptos_assistant::STYLE);
/// assert!(sheet.1.contains("--la-accent"));
/// ```
// Later sheets may depend on earlier sheets.
pub const STYLE: &str = sheets![
    "tokens",
    "direction",
    "lowered",
    "palettes",
    "controls",
    "variants",
    "field",
    "chat",
    "message",
    "turn",
    "part",
    "markdown",
    "composer",
    "attachment",
    "tool",
    "question",
    "inbox",
    "form",
    "allowed",
    "notice",
    "past",
    "dialog",
    "frame",
    "framed",
    "shell",
    "tree",
];
