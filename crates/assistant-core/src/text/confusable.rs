//! Detects letters that look like ASCII letters: `х` in Cyrillic, `ο` in Greek, `ｘ` in full width.
//!
//! The table derives from the confusables of Unicode 17.0 (UTS #39), limited to letters that look
//! the same in common fonts. `hidden` handles invisible characters, and `host` handles host names.

/// Characters that look like ASCII letters or digits: in Cyrillic, Greek, Armenian, among the
/// symbols, in Coptic, Cherokee and Lisu, and in other scripts. [`LATIN`] contains the ASCII
/// character for each, at the same position.
const LOOKALIKES: &str = "аеорсухѕіјһԁԛԝӏкѵАВЕКМНОРСТУХЅІЈӀԚԜԌҮѴЬ\
                    αογικνρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧϲϳϹϺ\
                    օոսհցզՕՍ\
                    ℎℓℊℋℑℒℕ℘ℙℚℛℜℝℤKℬℭℯℰℱℳℴℹℐ\
                    ⅠⅤⅩⅬⅭⅮⅯⅰⅴⅹⅼⅽⅾⅿɡɑᴄᴏᴜᴠᴡᴢꜱ\
                    ⲎⲒⲔⲘⲚⲞⲟⲢⲣⲤⲥⲦⲨⲬⳐ\
                    ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏎᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏮᏳᏴꭵꮁꮃꮓꮩꮪꮯ\
                    ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴ\
                    ყჿᐯᑌᑭᑯᑲᒍᒪᕁᕼᕽᖇᖯᖴᗅᗞᗪᗰᗷᚷᛁᛕᛖⴸⴹⵏⵔⵕⵝ";
/// The ASCII letters and digits that the characters of [`LOOKALIKES`] look like.
const LATIN: &str = "aeopcyxsijhdqwlkvABEKMHOPCTYXSIJIQWGYVb\
                     aoyiknpuABEZHIKMNOPTYXcjCM\
                     onuhgqOU\
                     hlgHILNpPQRRRZKBCeEFMoiI\
                     IVXLCDMivxlcdmgacouvwzs\
                     HIKMNOoPpCcTYXL\
                     DRTiYAJEWMHYGhZ4bRWSVSLCPKd6GBirwzvsc\
                     BPdDTGKJCZFMNLSRVHWXYAEIOU\
                     yoVUPdbJLxHxRbFADDMBXIKMVEIOQX";

/// Returns the ASCII letter or digit that a character looks like. Returns `None` for ASCII and for
/// characters that look like no ASCII letter or digit.
#[must_use]
pub fn ascii_like(c: char) -> Option<char> {
    if c.is_ascii() {
        return None;
    }
    let code = u32::from(c);
    match c {
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(code - 0xfee0).filter(char::is_ascii_alphanumeric)
        }
        // The mathematical alphabets have 52 letters each. Their digits are in the next range.
        '\u{1d400}'..='\u{1d6a3}' => {
            let letter = (code - 0x1d400) % 52;
            let first_letter = if letter < 26 { 'A' } else { 'a' };
            char::from_u32(u32::from(first_letter) + letter % 26)
        }
        '\u{1d7ce}'..='\u{1d7ff}' => char::from_digit((code - 0x1d7ce) % 10, 10),
        _ => {
            let index = LOOKALIKES.chars().position(|lookalike| lookalike == c)?;
            LATIN.chars().nth(index)
        }
    }
}

/// The zero digits of other scripts, from Unicode 17.0 below U+10000. The nine code points after
/// each zero are the other digits of its script.
const ZEROS: &str = "٠۰߀०০੦૦୦௦౦೦൦෦๐໐༠၀႐០᠐᥆᧐᪀᪐᭐᮰᱀᱐꘠꣐꤀꧐꧰꩐꯰";

/// Returns true for a decimal digit below U+10000 that is not ASCII, such as `٥`.
#[must_use]
pub fn is_foreign_digit(c: char) -> bool {
    let is_digit_of = |zero: char| u32::from(c).wrapping_sub(u32::from(zero)) < 10;
    !c.is_ascii() && ZEROS.chars().any(is_digit_of)
}

/// Returns true if a text looks like ASCII but is not: each letter or digit is ASCII or looks like
/// ASCII, and at least one of them is not ASCII.
#[must_use]
pub fn poses_as_ascii(text: &str) -> bool {
    if text.is_ascii() {
        return false;
    }
    let mut letters = text
        .chars()
        .filter(|c| c.is_alphanumeric() && !c.is_ascii());
    letters.clone().next().is_some() && letters.all(|c| ascii_like(c).is_some())
}

/// Returns the skeleton of a text: its letters and digits in lower case, with look-alikes replaced
/// by ASCII. Texts with the same skeleton are confusable.
#[must_use]
pub fn skeleton(text: &str) -> String {
    let letters = text.chars().map(|c| ascii_like(c).unwrap_or(c));
    let letters = letters.filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
