//! Decodes a JSON string incrementally, including escapes and surrogate pairs.
//!
//! A high surrogate is held back until its low surrogate arrives; a lone surrogate becomes U+FFFD
//! and is recorded. The string itself is stored by the caller.

/// The capacity in bytes that is reserved for the next piece of a string, so that short pieces do
/// not each reallocate the string.
const SPARE_CAPACITY: usize = 24;

/// The result of decoding a piece of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringProgress {
    /// The whole text belongs to the string, which continues.
    All,
    /// The closing quote was read.
    Closed,
    /// An unknown escape or an unescaped control character was skipped.
    Bad,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum EscapeState {
    #[default]
    None,
    Slash,
    Hex {
        digits: u8,
        code: u32,
    },
}

/// An incremental decoder for a JSON string.
#[derive(Clone, Debug, Default)]
pub(super) struct StringDecoder {
    escape: EscapeState,
    high: Option<u32>,
    repaired: bool,
}

impl StringDecoder {
    /// Returns true if a lone surrogate has been replaced.
    pub(super) fn has_replaced_surrogates(&self) -> bool {
        self.repaired
    }

    /// Appends decoded text to `out`, and returns the progress and the rest of the text.
    pub(super) fn decode<'a>(
        &mut self,
        mut rest: &'a str,
        out: &mut String,
    ) -> (StringProgress, &'a str) {
        loop {
            if self.escape == EscapeState::None {
                rest = self.copy_plain_run(rest, out);
            }
            let mut chars = rest.chars();
            let Some(ch) = chars.next() else {
                return (StringProgress::All, rest);
            };
            rest = chars.as_str();
            match self.feed_char(ch, out) {
                StringProgress::All => {}
                progress => {
                    self.escape = EscapeState::None;
                    self.replace_lone_surrogate(out);
                    return (progress, rest);
                }
            }
        }
    }

    /// Appends the text up to the next special character to `out`, and returns the rest of the
    /// text.
    fn copy_plain_run<'a>(&mut self, rest: &'a str, out: &mut String) -> &'a str {
        // The bytes are compared instead of the characters, which is faster: the special characters
        // are ASCII.
        let is_special = |byte: u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
        let end = rest.bytes().position(is_special).unwrap_or(rest.len());
        let (run, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if !run.is_empty() {
            self.replace_lone_surrogate(out);
            if rest.is_empty() {
                out.reserve(run.len() + SPARE_CAPACITY);
            }
            out.push_str(run);
        }
        rest
    }

    fn feed_char(&mut self, ch: char, out: &mut String) -> StringProgress {
        match self.escape {
            EscapeState::None => match ch {
                '"' => return StringProgress::Closed,
                '\\' => self.escape = EscapeState::Slash,
                _ => return StringProgress::Bad,
            },
            EscapeState::Slash if ch == 'u' => {
                self.escape = EscapeState::Hex { digits: 0, code: 0 }
            }
            EscapeState::Slash => {
                let Some(ch) = unescape(ch) else {
                    return StringProgress::Bad;
                };
                self.escape = EscapeState::None;
                self.replace_lone_surrogate(out);
                out.push(ch);
            }
            EscapeState::Hex { digits, code } => {
                let Some(digit) = ch.to_digit(16) else {
                    return StringProgress::Bad;
                };
                let code = code * 16 + digit;
                if digits < 3 {
                    self.escape = EscapeState::Hex {
                        digits: digits + 1,
                        code,
                    };
                } else {
                    self.escape = EscapeState::None;
                    self.push_code_unit(code, out);
                }
            }
        }
        StringProgress::All
    }

    /// Appends the character of a `\u` escape. Holds back a high surrogate, and replaces a lone
    /// surrogate.
    fn push_code_unit(&mut self, code: u32, out: &mut String) {
        if let (Some(high), 0xDC00..=0xDFFF) = (self.high, code) {
            self.high = None;
            let code_point = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00);
            out.push(char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER));
            return;
        }
        self.replace_lone_surrogate(out);
        match char::from_u32(code) {
            Some(ch) => out.push(ch),
            None => {
                self.high = Some(code);
                if code >= 0xDC00 {
                    self.replace_lone_surrogate(out);
                }
            }
        }
    }

    /// Appends U+FFFD for the surrogate that is held back, if any, since no low surrogate follows
    /// it.
    fn replace_lone_surrogate(&mut self, out: &mut String) {
        if self.high.take().is_some() {
            self.repaired = true;
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

fn unescape(ch: char) -> Option<char> {
    Some(match ch {
        '"' | '\\' | '/' => ch,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        _ => return None,
    })
}
