//! Hidden characters, and confusable hosts.

use assistant_core::text::{
    confusable::{ascii_like, poses_as_ascii, skeleton},
    hidden::{is_hidden, plain_name},
    host::reads_plainly,
};

/// `Default_Ignorable_Code_Point` of Unicode 17.0, `DerivedCoreProperties.txt`.
const IGNORABLE: [(u32, u32); 17] = [
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x61c, 0x61c),
    (0x115f, 0x1160),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x200b, 0x200f),
    (0x202a, 0x202e),
    (0x2060, 0x206f),
    (0x3164, 0x3164),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfff8),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
];

fn every(ranges: &[(u32, u32)]) -> impl Iterator<Item = char> {
    let codes = ranges.iter().flat_map(|(first, last)| *first..=*last);
    codes.filter_map(char::from_u32)
}

#[test]
fn default_ignorable_code_points_are_hidden() {
    for c in every(&IGNORABLE) {
        assert!(is_hidden(c), "U+{:04X}", u32::from(c));
    }
}

#[test]
fn control_characters_and_unusual_spaces_are_hidden() {
    for c in every(&[(0, 0x0010_ffff)]) {
        let laid_out = matches!(c, ' ' | '\n' | '\t');
        if (c.is_control() || c.is_whitespace()) && !laid_out {
            assert!(is_hidden(c), "U+{:04X}", u32::from(c));
        }
    }
    for c in "\u{2800}\u{fff9}\u{fffa}\u{fffb}\u{fffc}\u{1d159}".chars() {
        assert!(is_hidden(c), "U+{:04X}", u32::from(c));
    }
}

#[test]
fn visible_characters_are_not_hidden() {
    for c in " \n\tazAZ09~!\u{a1}éßжΩאبक中あ한\u{300}\u{fffd}€😀".chars() {
        assert!(!is_hidden(c), "U+{:04X}", u32::from(c));
    }
    let hidden = every(&[(0, 0x0010_ffff)]).filter(|c| is_hidden(*c)).count();
    let listed = every(&IGNORABLE).count();
    assert!(
        (listed..listed + 140).contains(&hidden),
        "{hidden} of {listed}"
    );
}

#[test]
fn a_name_is_reduced_to_one_visible_line() {
    for (name, plain) in [
        ("report.pdf", "report.pdf"),
        ("photo\u{202e}gpj.exe", "photogpj.exe"),
        ("a\u{200b}b\u{0}c\u{7f}d\u{e0041}", "abcd"),
        (
            "two\r\nlines\tand\u{a0}\u{3000}  more ",
            "two lines and more",
        ),
        ("bill.pdf\u{2003}\u{2003}\u{2003}.exe", "bill.pdf .exe"),
        ("\u{2800}\u{3164}\u{200f}", ""),
        (
            "überblick – 中文 العربية.txt",
            "überblick – 中文 العربية.txt",
        ),
    ] {
        assert_eq!(plain_name(name), plain, "{name:?}");
    }
}

#[test]
fn hosts_of_one_script_are_plain() {
    for host in [
        "example.com:8443",
        "[::1]:8080",
        "xn--e1afmkfd.xn--p1ai",
        "bücher.example",
        "łódź.pl",
        "пример.рф",
        "україна.укр",
        "παράδειγμα.gr",
        "օրինակ.հայ",
        "例え.テスト",
        "한국.kr",
        "דוגמה.test",
        "مثال.test",
        "उदाहरण.test",
        "ตัวอย่าง.test",
        "пример-24.example:8080",
    ] {
        assert!(reads_plainly(host), "{host}");
    }
}

#[test]
fn confusable_hosts_are_not_plain() {
    for host in [
        "аррӏе.com",
        "раураӏ.com",
        "ехо.com",
        "pаypal.com",
        "gοοgle.com",
        "οοο.com",
        "սոս.com",
        "ｇｏｏｇｌｅ.com",
        "𝐠𝐨𝐨𝐠𝐥𝐞.com",
        "good.com。evil.com",
        "good.com∕evil.com",
        "google.comノlogin.jp",
        "googIe\u{200d}.com",
        "g\u{f6}\u{308}gle.com",
        "gıthub.com",
        "ɡoogle.com",
        "good.com\u{2028}.evil.com",
        "中文a.com",
    ] {
        assert!(!reads_plainly(host), "{host}");
    }
}

#[test]
fn letters_that_resemble_ascii_are_recognized() {
    let like = "xхχｘ𝐱ⅹ";
    for c in like.chars().skip(2) {
        assert_eq!(ascii_like(c).is_some(), c != 'χ', "{c}");
    }
    assert_eq!(ascii_like('х'), Some('x'));
    assert_eq!(
        [ascii_like('x'), ascii_like('ж'), ascii_like('é')],
        [None; 3]
    );
    assert!(
        ["х", "рау", "ｐay", "х2", "𝟏", "ꓑꓮꓬ", "ꭵᎠ", "ⲟⲣⲥ", "ᑭᗅⵔ"]
            .into_iter()
            .all(poses_as_ascii)
    );
    assert!(
        !["x", "где", "größe", "東京", "—", "имя_x"]
            .into_iter()
            .any(poses_as_ascii)
    );
    assert_eq!(skeleton("⚠ Аpprоval\u{200b} needed:"), "approvalneeded");
    assert_eq!(skeleton("Где?"), skeleton("где"));
}
