//! Splits text into plain pieces, and pieces with hidden or confusable characters, which are shown
//! by their codes.
//!
//! The module `exact_text` renders the pieces.

use std::ops::Range;

use assistant_core::text::{
    confusable::{ascii_like, is_foreign_digit, poses_as_ascii},
    hidden::is_hidden,
};

/// The maximum number of consecutive spaces within a line that are rendered unchanged; a longer gap
/// could push text out of sight.
const MAX_SPACES: usize = 16;
/// The number of bytes before and after a word that are searched for the ends of a name.
const NAME_SEARCH_BYTES: usize = 256;
/// The maximum number of equal consecutive characters that are each shown by their code; for a
/// longer run, one code and the count are shown.
const MAX_CODES: usize = 3;

/// The maximum number of combining marks on one character that are drawn.
const MAX_MARKS: usize = 3;

/// The set of characters that are shown by their codes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeMode {
    /// All invisible and confusable characters.
    Exact,
    /// All invisible and confusable characters in a piece of a growing text. Words that imitate
    /// ASCII are marked only in names, because the complete text is not known.
    Growing,
    /// Invisible characters, except the characters of ordinary writing: no-break and ideographic
    /// spaces, joiners and variation selectors inside of emoji, joiners between letters in scripts
    /// that use joiners. Confusable letters and long gaps are not marked.
    Readable,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Plain(&'a str),
    /// Consecutive invisible characters or the spaces of a long gap, by their codes.
    Hidden(String),
    /// A letter or digit that is confusable with a character of another script, and the code of the
    /// letter or digit.
    Foreign(&'a str, String),
}

/// Splits a text into pieces. `detail` selects the characters that are shown by their codes.
pub(super) fn split_pieces(text: &str, detail: EscapeMode) -> Vec<Piece<'_>> {
    PieceSplitter::new(text, detail).pieces(0..text.len())
}

/// Splits the blocks of a text into pieces. A word or gap is judged as a whole, even if it is in
/// two blocks.
pub(super) struct PieceSplitter<'a> {
    text: &'a str,
    detail: EscapeMode,
    /// True if the complete text imitates ASCII, so that every word that does so is marked, not
    /// only names.
    imitates_ascii: bool,
}

impl<'a> PieceSplitter<'a> {
    pub(super) fn new(text: &'a str, detail: EscapeMode) -> Self {
        let imitates_ascii = detail == EscapeMode::Exact && poses_visibly(text);
        Self {
            text,
            detail,
            imitates_ascii,
        }
    }

    /// Returns the pieces of the part of the text in `range`.
    pub(super) fn pieces(&self, range: Range<usize>) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        let mut start = range.start;
        let mut run_is_hidden = None;
        let block = self.text.get(range.clone()).unwrap_or_default();
        for (index, c) in block.char_indices() {
            let index = range.start + index;
            let is_code = is_shown_as_code(self.text, index, c, self.detail);
            if run_is_hidden.is_some_and(|run_is_hidden| run_is_hidden != is_code) {
                self.push_pieces(start..index, !is_code, &mut pieces);
                start = index;
            }
            run_is_hidden = Some(is_code);
        }
        if let Some(is_code) = run_is_hidden {
            self.push_pieces(start..range.end, is_code, &mut pieces);
        }
        pieces
    }

    fn push_pieces(&self, range: Range<usize>, hidden: bool, pieces: &mut Vec<Piece<'a>>) {
        let run = self.text.get(range.clone()).unwrap_or_default();
        match (hidden, self.detail) {
            (true, _) => pieces.push(Piece::Hidden(format_codes(run))),
            (false, EscapeMode::Readable) => pieces.push(Piece::Plain(run)),
            (false, EscapeMode::Exact | EscapeMode::Growing) => self.split_visible(range, pieces),
        }
    }

    /// Splits visible text into pieces, and marks the misleading pieces: long gaps, words with
    /// letters of several scripts, names that imitate ASCII, and digits of other scripts next to
    /// ASCII.
    fn split_visible(&self, range: Range<usize>, pieces: &mut Vec<Piece<'a>>) {
        let text = self.text.get(..range.end).unwrap_or_default();
        let mut plain_start = range.start;
        let mut start = range.start;
        // True if the previous word begins with an ASCII letter or digit, or is a marked digit.
        let mut follows_ascii = self.follows_ascii(range.start);
        while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
            let end = start + word_len(rest);
            let word = text.get(start..end).unwrap_or_default();
            let whole = self.surrounding_word(start..end, &range);
            let whole_word = self.text.get(whole.clone()).unwrap_or_default();
            let is_gap = word.starts_with(' ')
                && whole_word.len() > MAX_SPACES
                && !self.is_line_start(whole.start);
            let main_script = main_script_if_mixed(whole_word);
            let imitates_ascii = main_script.is_none()
                && poses_as_ascii(whole_word)
                && (self.imitates_ascii || is_name(self.text, whole));
            let has_foreign_digit =
                word.starts_with(is_foreign_digit) && (follows_ascii || self.precedes_ascii(end));
            follows_ascii =
                has_foreign_digit || word.starts_with(|c: char| c.is_ascii_alphanumeric());
            if is_gap || main_script.is_some() || imitates_ascii || has_foreign_digit {
                push_plain(text, plain_start..start, pieces);
                plain_start = end;
            }
            if is_gap {
                pieces.push(Piece::Hidden(format_codes(word)));
            } else if let Some(main_script) = main_script {
                let is_other = |c| script_of(c).is_some_and(|script| script != main_script);
                split_letters(word, is_other, pieces);
            } else if has_foreign_digit {
                split_letters(word, is_foreign_digit, pieces);
            } else if imitates_ascii {
                split_letters(word, |c| ascii_like(c).is_some(), pieces);
            }
            start = end;
        }
        push_plain(text, plain_start..text.len(), pieces);
    }

    /// Returns the word or gap to which `part` belongs. A part at an end of the visible text in
    /// `range` may continue in another block. Searches at most [`NAME_SEARCH_BYTES`] in both
    /// directions.
    fn surrounding_word(&self, part: Range<usize>, range: &Range<usize>) -> Range<usize> {
        let word = self.text.get(part.clone()).unwrap_or_default();
        let belongs: fn(char) -> bool = match word.chars().next() {
            Some(' ') => |c| c == ' ',
            Some(c) if c.is_alphabetic() => |c| c.is_alphabetic() && !is_hidden(c),
            _ => return part,
        };
        let mut whole = part.clone();
        if part.start == range.start {
            let before = text_before(self.text, part.start);
            whole.start -= before.len() - before.trim_end_matches(belongs).len();
        }
        if part.end == range.end {
            let after = text_after(self.text, part.end);
            whole.end += after.len() - after.trim_start_matches(belongs).len();
        }
        whole
    }

    fn is_line_start(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or_default();
        before.is_empty() || before.ends_with('\n')
    }

    /// Returns true if the text before a position ends with an ASCII letter or digit, possibly
    /// before digits of other scripts.
    fn follows_ascii(&self, at: usize) -> bool {
        let before = text_before(self.text, at);
        let before = before.trim_end_matches(is_foreign_digit);
        before.ends_with(|c: char| c.is_ascii_alphanumeric())
    }

    /// Returns true if the text after a position begins with an ASCII letter or digit, possibly
    /// after digits of other scripts.
    fn precedes_ascii(&self, at: usize) -> bool {
        let after = text_after(self.text, at).trim_start_matches(is_foreign_digit);
        after.starts_with(|c: char| c.is_ascii_alphanumeric())
    }
}

/// Returns at most [`NAME_SEARCH_BYTES`] of a text before a position.
fn text_before(text: &str, at: usize) -> &str {
    let mut starts = at.saturating_sub(NAME_SEARCH_BYTES)..at;
    let start = starts.find(|at| text.is_char_boundary(*at)).unwrap_or(at);
    text.get(start..at).unwrap_or_default()
}

/// Returns at most [`NAME_SEARCH_BYTES`] of a text after a position.
fn text_after(text: &str, at: usize) -> &str {
    let ends = at..=(at + NAME_SEARCH_BYTES).min(text.len());
    let end = ends.rev().find(|at| text.is_char_boundary(*at));
    text.get(at..end.unwrap_or(at)).unwrap_or_default()
}

fn push_plain<'a>(text: &'a str, range: Range<usize>, pieces: &mut Vec<Piece<'a>>) {
    let plain = text.get(range).filter(|plain| !plain.is_empty());
    pieces.extend(plain.map(Piece::Plain));
}

/// Returns true if a text has characters that are shown by their codes.
pub(super) fn has_escaped_characters(text: &str, detail: EscapeMode) -> bool {
    let pieces = split_pieces(text, detail);
    pieces.iter().any(|piece| !matches!(piece, Piece::Plain(_)))
}

/// Returns the text with the codes of hidden and confusable characters in brackets, for attributes
/// and announcements.
pub(crate) fn escape_hidden(text: &str) -> String {
    let format_piece = |piece: &Piece<'_>| match piece {
        Piece::Plain(text) => (*text).to_owned(),
        Piece::Hidden(codes) => format!("[{codes}]"),
        Piece::Foreign(letter, code) => format!("{letter}[{code}]"),
    };
    split_pieces(text, EscapeMode::Exact)
        .iter()
        .map(format_piece)
        .collect()
}

/// Formats the codes of characters. A run of more than [`MAX_CODES`] equal characters is formatted
/// as one code with a count.
fn format_codes(run: &str) -> String {
    let mut codes: Vec<String> = Vec::new();
    let mut chars = run.chars().peekable();
    while let Some(c) = chars.next() {
        let mut count = 1;
        while chars.next_if_eq(&c).is_some() {
            count += 1;
        }
        let code = format_code(c);
        match count {
            1..=MAX_CODES => codes.extend(std::iter::repeat_n(code, count)),
            _ => codes.push(format!("{code} ×{count}")),
        }
    }
    codes.join(" ")
}

fn format_code(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}

/// Returns the length, in bytes, of the word, gap, escape sequence or single character at the start
/// of a text.
fn word_len(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return 0;
    };
    let run_len = |belongs: fn(char) -> bool| text.find(|c| !belongs(c)).unwrap_or(text.len());
    match first {
        ' ' => run_len(|c| c == ' '),
        // An escape sequence is not part of the following word.
        '\\' => {
            let escaped_char = chars.next();
            let digits = if escaped_char == Some('u') { 4 } else { 0 };
            let escaped_chars = escaped_char.into_iter().chain(chars.take(digits));
            1 + escaped_chars.map(char::len_utf8).sum::<usize>()
        }
        c if c.is_alphabetic() => run_len(char::is_alphabetic),
        c => c.len_utf8(),
    }
}

/// The scripts with letters that are confusable with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterScript {
    Latin,
    Cyrillic,
    Greek,
    Armenian,
    Georgian,
    Cherokee,
    CanadianSyllabics,
    Runic,
    Coptic,
    Tifinagh,
    Lisu,
    /// The old alphabets beyond U+10000, from Lycian to Elbasan, and Warang Citi.
    Old,
}

/// Returns the main script of a word in several scripts; `None` for a word in one script.
fn main_script_if_mixed(word: &str) -> Option<LetterScript> {
    if word.is_ascii() {
        return None;
    }
    let scripts: Vec<LetterScript> = word.chars().filter_map(script_of).collect();
    let first_script = scripts.first()?;
    if scripts.iter().all(|script| script == first_script) {
        return None;
    }
    let has_latin = scripts.contains(&LetterScript::Latin);
    Some(if has_latin {
        LetterScript::Latin
    } else {
        *first_script
    })
}

/// Returns true if a word that imitates ASCII is part of a name: of a JSON key that imitates ASCII,
/// or of a token with ASCII letters, such as an address.
fn is_name(text: &str, word: Range<usize>) -> bool {
    let before = text_before(text, word.start);
    let after = text_after(text, word.end);
    let search_start = word.start - before.len();
    let is_token_end = |c: char| c == '"' || c.is_whitespace();
    let surrounding_piece = |is_separator: &dyn Fn(char) -> bool| {
        let start = before
            .rfind(is_separator)
            .map_or(search_start, |at| search_start + at + 1);
        let end = word.end + after.find(is_separator).unwrap_or(after.len());
        (text.get(start..end).unwrap_or_default(), end)
    };
    let (token, _) = surrounding_piece(&is_token_end);
    let is_ascii_mark = |c: char| c.is_ascii_alphabetic() || matches!(c, '@' | '_');
    if poses_visibly(token) && token.contains(is_ascii_mark) {
        return true;
    }
    let (key, end) = surrounding_piece(&|c| matches!(c, '"' | '\n'));
    poses_visibly(key) && text.get(end..).is_some_and(|rest| rest.starts_with("\":"))
}

/// Returns true if the visible characters of a text imitate ASCII. A blank letter does not hide an
/// imitation beside it.
fn poses_visibly(text: &str) -> bool {
    if !text.contains(is_hidden) {
        return poses_as_ascii(text);
    }
    let visible_text: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    poses_as_ascii(&visible_text)
}

/// Splits a word into pieces, with a code for each marked letter.
fn split_letters<'a>(word: &'a str, is_marked: impl Fn(char) -> bool, pieces: &mut Vec<Piece<'a>>) {
    let mut plain_start = 0;
    for (at, c) in word.char_indices() {
        if !is_marked(c) {
            continue;
        }
        let end = at + c.len_utf8();
        pieces.extend(
            word.get(plain_start..at)
                .filter(|s| !s.is_empty())
                .map(Piece::Plain),
        );
        pieces.extend(word.get(at..end).map(|s| Piece::Foreign(s, format_code(c))));
        plain_start = end;
    }
    pieces.extend(
        word.get(plain_start..)
            .filter(|s| !s.is_empty())
            .map(Piece::Plain),
    );
}

fn script_of(c: char) -> Option<LetterScript> {
    Some(match c {
        'a'..='z' | 'A'..='Z' | 'ª' | 'º' | '\u{c0}'..='\u{2af}' => LetterScript::Latin,
        '\u{1d00}'..='\u{1d25}' | '\u{1e00}'..='\u{1eff}' | '\u{2c60}'..='\u{2c7f}' => {
            LetterScript::Latin
        }
        '\u{a722}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab64}' => LetterScript::Latin,
        '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => LetterScript::Latin,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => LetterScript::Greek,
        '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}' => LetterScript::Cyrillic,
        '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}' => LetterScript::Cyrillic,
        '\u{531}'..='\u{58a}' => LetterScript::Armenian,
        '\u{10a0}'..='\u{10ff}' | '\u{1c90}'..='\u{1cbf}' => LetterScript::Georgian,
        '\u{13a0}'..='\u{13ff}' | '\u{ab70}'..='\u{abbf}' => LetterScript::Cherokee,
        '\u{1400}'..='\u{167f}' | '\u{18b0}'..='\u{18ff}' => LetterScript::CanadianSyllabics,
        '\u{16a0}'..='\u{16ff}' => LetterScript::Runic,
        '\u{2c80}'..='\u{2cff}' => LetterScript::Coptic,
        '\u{2d30}'..='\u{2d7f}' => LetterScript::Tifinagh,
        '\u{a4d0}'..='\u{a4ff}' => LetterScript::Lisu,
        '\u{10280}'..='\u{1057f}' | '\u{118a0}'..='\u{118ff}' => LetterScript::Old,
        _ => return None,
    })
}

fn is_shown_as_code(text: &str, at: usize, c: char, detail: EscapeMode) -> bool {
    is_stacked(text, at, c)
        || is_hidden(c) && (detail != EscapeMode::Readable || !is_ordinary(text, at, c))
}

/// Returns true if a combining mark follows [`MAX_MARKS`] other marks. A font draws stacked marks
/// outside of the line, over other text.
fn is_stacked(text: &str, at: usize, c: char) -> bool {
    let before = || text.get(..at).unwrap_or_default().chars().rev();
    is_mark(c) && before().take(MAX_MARKS).filter(|c| is_mark(*c)).count() == MAX_MARKS
}

/// Approximates the nonspacing marks (Mn, Me) by blocks: the marks that are common to several
/// scripts, and those of Hebrew, Arabic, Syriac, the Indic scripts, Thai, Lao, Tibetan, Burmese and
/// Khmer. Vowel signs beside their letter count as well; words have at most three in a row.
const fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6ed}'
        | '\u{711}' | '\u{730}'..='\u{74a}' | '\u{7a6}'..='\u{7b0}' | '\u{7eb}'..='\u{7f3}'
        | '\u{816}'..='\u{82d}' | '\u{859}'..='\u{85b}' | '\u{897}'..='\u{89f}' | '\u{8ca}'..='\u{903}'
        | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' | '\u{eb1}' | '\u{eb4}'..='\u{ebc}'
        | '\u{ec8}'..='\u{ece}' | '\u{f71}'..='\u{f87}' | '\u{102b}'..='\u{103e}' | '\u{135d}'..='\u{135f}'
        | '\u{17b4}'..='\u{17d3}' | '\u{1ab0}'..='\u{1aff}' | '\u{1cd0}'..='\u{1cfa}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{302a}'..='\u{302f}' | '\u{3099}'..='\u{309a}'
        | '\u{a66f}'..='\u{a67d}' | '\u{a69e}'..='\u{a69f}' | '\u{a8e0}'..='\u{a8f1}' | '\u{fb1e}'
        | '\u{fe20}'..='\u{fe2f}' | '\u{1d165}'..='\u{1d169}' | '\u{1d16d}'..='\u{1d172}'
        | '\u{1d17b}'..='\u{1d182}' | '\u{1d185}'..='\u{1d18b}' | '\u{1d1aa}'..='\u{1d1ad}'
        | '\u{1e8d0}'..='\u{1e8d6}' | '\u{1e944}'..='\u{1e94a}')
        || is_indic_sign(c)
}

/// Returns true for the signs of the nine Indic blocks from Devanagari to Malayalam, which have the
/// same places in each block of 128 characters.
const fn is_indic_sign(c: char) -> bool {
    let place = (c as u32) % 0x80;
    matches!(c, '\u{900}'..='\u{d7f}')
        && matches!(place, 0..=3 | 0x3a..=0x3c | 0x3e..=0x4d | 0x51..=0x57)
}

/// Returns true if a hidden character at the position `at` is part of ordinary writing.
fn is_ordinary(text: &str, at: usize, c: char) -> bool {
    let (before, rest) = text.split_at_checked(at).unwrap_or_default();
    let mut before = before.chars().rev();
    let after = rest.chars().nth(1);
    match c {
        // These spaces are ordinary, because they are visible.
        '\u{a0}' | '\u{2002}'..='\u{2009}' | '\u{202f}' | '\u{3000}' => true,
        // A variation selector is ordinary if it selects the presentation of the character before
        // it.
        '\u{fe0e}' | '\u{fe0f}' => before.next().is_some_and(|sign| {
            is_pictograph(sign)
                || (matches!(sign, '0'..='9' | '#' | '*') && after == Some('\u{20e3}'))
        }),
        '\u{200c}' | '\u{200d}' => {
            let is_modifier = |c: &char| matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}');
            let joins_letters = before.clone().next().is_some_and(is_joining_letter)
                && after.is_some_and(is_joining_letter);
            joins_letters
                || (c == '\u{200d}'
                    && before.find(|c| !is_modifier(c)).is_some_and(is_pictograph)
                    && after.is_some_and(is_pictograph))
        }
        _ => false,
    }
}

/// Approximates the Unicode property `Extended_Pictographic` by blocks, plus regional indicators.
/// The base characters of keycaps are not included.
const fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{24c2}'
        | '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{25a0}'..='\u{27bf}'
        | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}'
        | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// Returns true for letters of Arabic, the Indic scripts, Burmese and Khmer, between which joiners
/// are ordinary.
const fn is_joining_letter(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{dff}'
        | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{17ff}')
}

#[cfg(test)]
mod tests {
    use super::{EscapeMode, Piece, PieceSplitter, has_escaped_characters, split_pieces};

    fn format_pieces(text: &str, detail: EscapeMode) -> String {
        format_all(&split_pieces(text, detail))
    }

    fn format_all(pieces: &[Piece<'_>]) -> String {
        let format_piece = |piece: &Piece<'_>| match piece {
            Piece::Plain(text) => (*text).to_owned(),
            Piece::Hidden(codes) => format!("[{codes}]"),
            Piece::Foreign(letter, code) => format!("{letter}[{code}]"),
        };
        pieces.iter().map(format_piece).collect()
    }

    #[test]
    fn invisible_characters_are_marked_in_exact_text() {
        for (text, expected) in [
            ("gpj.\u{202e}exe", "gpj.[U+202E]exe"),
            ("a\u{a0}b\u{3000}c", "a[U+00A0]b[U+3000]c"),
            ("❤\u{fe0f}", "❤[U+FE0F]"),
            ("a\u{200b}\u{200b}b", "a[U+200B U+200B]b"),
            ("tab\tand\nline", "tab\tand\nline"),
            ("", ""),
        ] {
            assert_eq!(format_pieces(text, EscapeMode::Exact), expected);
        }
        // Three marks on a letter are ordinary (Greek), and more would be drawn over other lines.
        let stack = format!("Α\u{314}\u{342}\u{345} e{}", "\u{301}".repeat(80));
        for detail in [EscapeMode::Exact, EscapeMode::Growing, EscapeMode::Readable] {
            let expected = "Α\u{314}\u{342}\u{345} e\u{301}\u{301}\u{301}[U+0301 ×77]";
            assert_eq!(format_pieces(&stack, detail), expected);
        }
        for text in [
            "संस्कृति",
            "क्ष्मी",
            "ที่สุด",
            "שָׁלוֹם",
            "مُحَمَّدٌ",
            "Việt Nam",
            "ကျွန်ုပ်",
            "ភ្ជុំបិណ្ឌ",
        ] {
            assert!(!has_escaped_characters(text, EscapeMode::Exact), "{text}");
        }
        for marks in [
            "\u{301}\u{301}\u{651}",
            "\u{e49}",
            "\u{5b8}\u{591}",
            "\u{94d}",
        ] {
            let text = format!("ก{}", marks.repeat(20));
            assert!(
                has_escaped_characters(&text, EscapeMode::Readable),
                "{marks:?}"
            );
        }
        let run = "\u{200b}".repeat(5_000);
        assert_eq!(format_pieces(&run, EscapeMode::Exact), "[U+200B ×5000]");
    }

    #[test]
    fn necessary_invisible_characters_stay_in_readable_text() {
        for text in [
            "10\u{a0}000\u{202f}€, 東京\u{3000}大阪",
            "❤\u{fe0f} 1\u{fe0f}\u{20e3} 👩\u{200d}👧 🏳\u{fe0f}\u{200d}🌈 👩🏽\u{200d}💻",
            "می\u{200c}خواهم",
            "pаypal",
        ] {
            assert_eq!(format_pieces(text, EscapeMode::Readable), text);
        }
        for text in [
            "a\u{200d}b",
            "a\u{fe0f}",
            "1\u{fe0f}",
            "\u{202e}",
            "👩\u{200d}",
            "\u{200d}👧",
        ] {
            assert!(
                has_escaped_characters(text, EscapeMode::Readable),
                "{text:?}"
            );
        }
    }

    #[test]
    fn letters_of_another_script_within_a_word_are_marked() {
        for (text, expected) in [
            ("pаypal.com", "pа[U+0430]ypal.com"),
            ("to αβγ and где", "to αβγ and где"),
            ("гαде", "гα[U+03B1]де"),
            ("größe naïve", "größe naïve"),
            // An escaped line break is not part of the following word.
            (r#""a\nгде\\где""#, r#""a\nгде\\где""#),
            (r"\u001bгде", r"\u001bгде"),
            ("user_имя", "user_имя"),
            ("pꓮypal", "pꓮ[U+A4EE]ypal"),
            ("pauⲣal", "pauⲣ[U+2CA3]al"),
        ] {
            assert_eq!(format_pieces(text, EscapeMode::Exact), expected);
        }
    }

    #[test]
    fn letters_that_look_like_ascii_are_marked_in_names() {
        for (text, expected) in [
            // A one-letter key that imitates ASCII, and the same letter as a word in a sentence.
            (
                "{\n  \"x\": 1,\n  \"х\": 2\n}",
                "{\n  \"x\": 1,\n  \"х[U+0445]\": 2\n}",
            ),
            (
                "{\"имя\": \"с кем\", \"с\": 1}",
                "{\"имя\": \"с кем\", \"с[U+0441]\": 1}",
            ),
            // A complete name in one script.
            ("рау", "р[U+0440]а[U+0430]у[U+0443]"),
            ("ｐay", "ｐ[U+FF50]ay"),
            ("ꓑꓮꓬ", "ꓑ[U+A4D1]ꓮ[U+A4EE]ꓬ[U+A4EC]"),
            // Next to a blank letter.
            (
                "a рау.com\u{3164}",
                "a р[U+0440]а[U+0430]у[U+0443].com[U+3164]",
            ),
            (
                "a рау\u{3164}.com",
                "a р[U+0440]а[U+0430]у[U+0443][U+3164].com",
            ),
            ("{\"ꮯ\": 1}", "{\"ꮯ[U+ABAF]\": 1}"),
            (
                "где сорок рау.com",
                "где сорок р[U+0440]а[U+0430]у[U+0443].com",
            ),
            // Ordinary words are not marked.
            ("он и она, а не с ними", "он и она, а не с ними"),
            ("ＡＢＣ東京", "ＡＢＣ東京"),
        ] {
            assert_eq!(format_pieces(text, EscapeMode::Exact), expected);
        }
        assert_eq!(format_pieces("с ", EscapeMode::Growing), "с ");
    }

    #[test]
    fn digits_of_another_script_are_marked_among_ascii_text() {
        for (text, expected) in [
            ("DE0\u{665}", "DE0\u{665}[U+0665]"),
            ("\u{966}\u{967}9", "\u{966}[U+0966]\u{967}[U+0967]9"),
            ("مبلغ: \u{665}\u{660}", "مبلغ: \u{665}\u{660}"),
            ("\\n\u{665}", "\\n\u{665}"),
        ] {
            assert_eq!(format_pieces(text, EscapeMode::Exact), expected);
        }
    }

    #[test]
    fn words_and_gaps_at_the_edge_of_a_block_are_marked_as_a_whole() {
        let gap = " ".repeat(10);
        // A bar is at the edge of two blocks.
        for (blocks, expected) in [
            ("pаy|pal", "pа[U+0430]y|pal"),
            ("payp|аl", "payp|а[U+0430]l"),
            ("р|ау", "р[U+0440]|а[U+0430]у[U+0443]"),
            ("{\"х|у\": 1}", "{\"х[U+0445]|у[U+0443]\": 1}"),
            ("1|\u{665}", "1|\u{665}[U+0665]"),
            (&format!("a{gap}|{gap}b"), "a[U+0020 ×10]|[U+0020 ×10]b"),
            (&format!("a\n{gap}|{gap}b"), &format!("a\n{gap}|{gap}b")),
            ("где|сорок", "где|сорок"),
        ] {
            let (before, after) = blocks.split_once('|').unwrap();
            let text = format!("{before}{after}");
            let splitter = PieceSplitter::new(&text, EscapeMode::Exact);
            let format_block = |block| format_all(&splitter.pieces(block));
            let shown = [
                format_block(0..before.len()),
                format_block(before.len()..text.len()),
            ];
            assert_eq!(shown.join("|"), expected);
        }
    }

    #[test]
    fn long_gaps_are_counted_but_indents_are_not() {
        let gap = " ".repeat(900);
        let text = format!("a{gap}b\n{gap}c\u{200b}{gap}d");
        let expected = format!("a[U+0020 ×900]b\n{gap}c[U+200B][U+0020 ×900]d");
        assert_eq!(format_pieces(&text, EscapeMode::Exact), expected);
    }
}
