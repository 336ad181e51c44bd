//! Detects invisible characters, and characters that change the order of other characters.
//!
//! Views show the codes of such characters in text that users copy verbatim, and omit the
//! characters from the names of files and hosts. `host` handles confusable hosts.

/// Returns true if a character is invisible: a control, a direction mark, an ignorable or blank
/// character, or a space other than U+0020. Tab and line feed are layout and not hidden.
///
/// The ranges are from Unicode 17.0: `Default_Ignorable_Code_Point` (DerivedCoreProperties.txt),
/// `Bidi_Control` and `White_Space` (PropList.txt). The characters that are blank in fonts although
/// they have none of these properties were added by hand: the braille blank, the annotation and
/// object characters, the blanks and controls among the hieroglyphs, the Khitan filler and the null
/// notehead.
#[must_use]
pub const fn is_hidden(c: char) -> bool {
    // Most text is ASCII.
    if c.is_ascii() {
        return c.is_ascii_control() && !matches!(c, '\n' | '\t');
    }
    matches!(
        c,
        '\u{80}'..='\u{a0}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{1680}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2000}'..='\u{200f}'
            | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3000}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffc}'
            | '\u{13430}'..='\u{13442}'
            | '\u{16fe4}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d159}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns a name as one line without hidden characters: each run of white space becomes one space,
/// or nothing at the start and the end; other hidden characters are removed. The name on screen and
/// the name of the saved file are then the same.
#[must_use]
pub fn plain_name(name: &str) -> String {
    let mut visible_name = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_whitespace() {
            if !visible_name.ends_with(' ') {
                visible_name.push(' ');
            }
        } else if !is_hidden(c) {
            visible_name.push(c);
        }
    }
    visible_name.trim().to_owned()
}
