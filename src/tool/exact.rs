//! Text exactly as it is, with what the eye cannot see made visible.

use leptos::prelude::*;

/// Text in which control and direction characters are shown by their code instead of taking
/// effect, so that a person approves what will really run.
#[component]
pub fn ExactText(
    /// The text.
    text: String,
) -> impl IntoView {
    let pieces = split(&text).into_iter().map(|piece| match piece {
        Piece::Plain(text) => text.into_any(),
        Piece::Hidden(c) => {
            let code = format!("U+{:04X}", u32::from(c));
            view! { <span class="la-control-char">{code}</span> }.into_any()
        }
    });
    pieces.collect_view()
}

enum Piece {
    Plain(String),
    Hidden(char),
}

fn split(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    for c in text.chars() {
        if is_hidden(c) {
            if !plain.is_empty() {
                pieces.push(Piece::Plain(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Hidden(c));
        } else {
            plain.push(c);
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Plain(plain));
    }
    pieces
}

/// Controls other than line break and tab, direction marks, invisible joiners and fillers.
fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(
            c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
                | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}
