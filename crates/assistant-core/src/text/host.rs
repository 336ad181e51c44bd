//! Detects confusable hosts: `аррӏе.com` in Cyrillic letters looks like `apple.com`.
//!
//! Hosts are not encoded here: the caller shows the browser's `xn--…` form of a confusable host.
//! `address` extracts the host from an address.

/// The scripts of domain names. Scripts that are used together in one name count as one script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HostScript {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    /// The scripts Han, kana, Bopomofo and Hangul, which are used together.
    EastAsian,
    /// A script in [`OTHER_SCRIPTS`], identified by its index.
    Other(usize),
}

/// The character ranges of the other recommended scripts (UAX #31, table 5, Unicode 17.0), as first
/// and last character.
const OTHER_SCRIPTS: [(char, char); 20] = [
    ('\u{5d0}', '\u{5f4}'),   // Hebrew
    ('\u{620}', '\u{6ff}'),   // Arabic
    ('\u{780}', '\u{7b1}'),   // Thaana
    ('\u{900}', '\u{97f}'),   // Devanagari
    ('\u{980}', '\u{9fe}'),   // Bengali
    ('\u{a01}', '\u{a76}'),   // Gurmukhi
    ('\u{a81}', '\u{aff}'),   // Gujarati
    ('\u{b01}', '\u{b77}'),   // Odia
    ('\u{b82}', '\u{bfa}'),   // Tamil
    ('\u{c00}', '\u{c7f}'),   // Telugu
    ('\u{c80}', '\u{cf3}'),   // Kannada
    ('\u{d00}', '\u{d7f}'),   // Malayalam
    ('\u{d81}', '\u{df4}'),   // Sinhala
    ('\u{e01}', '\u{e59}'),   // Thai
    ('\u{e81}', '\u{edf}'),   // Lao
    ('\u{f00}', '\u{fbc}'),   // Tibetan
    ('\u{1000}', '\u{109f}'), // Myanmar
    ('\u{10d0}', '\u{10ff}'), // Georgian
    ('\u{1200}', '\u{139f}'), // Ethiopic
    ('\u{1780}', '\u{17e9}'), // Khmer
];

/// Cyrillic, Greek and Armenian letters that look like Latin letters, from the confusables of
/// Unicode 17.0 (UTS #39).
const LATIN_LOOKALIKES: &str = "агеорпсхуъьѕіјһѡѵҝҽӏԁԍԛԝԗ\
                          αγεηικνορτυχως\
                          գզէհղյոպռսցւքօ";

/// Returns true if a host is unambiguous: each label is ASCII, or its letters belong to a single
/// script and, in a script other than Latin, do not all look like Latin letters. Hidden characters,
/// signs and unusual letters are rejected.
#[must_use]
pub fn reads_plainly(host: &str) -> bool {
    host.is_ascii() || host.split('.').all(is_plain_label)
}

fn is_plain_label(label: &str) -> bool {
    if label.is_ascii() {
        return true;
    }
    let mut script = None;
    let mut looks_latin = true;
    for c in label.chars() {
        // Digits, hyphens and the colon of a port are permitted in every script.
        if c.is_ascii() && !c.is_ascii_alphabetic() {
            continue;
        }
        let Some(char_script) = script_of(c) else {
            return false;
        };
        if *script.get_or_insert(char_script) != char_script {
            return false;
        }
        looks_latin &= LATIN_LOOKALIKES.contains(c);
    }
    !looks_latin
}

fn script_of(c: char) -> Option<HostScript> {
    Some(match c {
        'a'..='z' | 'A'..='Z' => HostScript::Latin,
        // Latin letters with diacritics are distinguishable, except for these characters, which
        // look like characters without diacritics.
        'ı' | 'ĸ' | 'ŀ' | 'ŉ' | 'ſ' | '÷' => return None,
        'ß'..='ž' | 'ơ' | 'ư' | 'ș' | 'ț' | 'ə' | '\u{1ea1}'..='\u{1ef9}' => {
            HostScript::Latin
        }
        'ΐ'..='ώ' => HostScript::Greek,
        'а'..='џ' | 'ѡ' | 'ѵ' | 'ґ'..='ԯ' => HostScript::Cyrillic,
        'ա'..='և' => HostScript::Armenian,
        '々'..='〇' | 'ぁ'..='ゖ' | 'ァ'..='ヺ' | 'ー' | 'ㄅ'..='ㄯ' => {
            HostScript::EastAsian
        }
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => HostScript::EastAsian,
        '가'..='힣' | '\u{20000}'..='\u{323af}' => HostScript::EastAsian,
        c => {
            let mut ranges = OTHER_SCRIPTS.iter();
            let index = ranges.position(|(first, last)| (*first..=*last).contains(&c))?;
            HostScript::Other(index)
        }
    })
}
