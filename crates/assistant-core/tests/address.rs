//! Addresses that may be followed, and media that may be fetched.

use assistant_core::text::address::{AddressKind, MediaPolicy, image_src, media_src, safe_href};

#[test]
fn web_mail_phone_and_relative_addresses_are_accepted_and_normalized() {
    use AddressKind::{Mail, Phone, Relative, Web};
    let table = [
        (
            "https://example.com/a?b=c#d",
            "https://example.com/a?b=c#d",
            Web,
            Some("example.com"),
        ),
        (
            "HTTP://Example.COM",
            "http://Example.COM",
            Web,
            Some("example.com"),
        ),
        (
            "https://example.com:443/",
            "https://example.com:443/",
            Web,
            Some("example.com"),
        ),
        (
            "https://example.com:8443/",
            "https://example.com:8443/",
            Web,
            Some("example.com:8443"),
        ),
        (
            "https://[::1]:8080/x",
            "https://[::1]:8080/x",
            Web,
            Some("[::1]:8080"),
        ),
        (
            "https://bücher.example/ä",
            "https://bücher.example/ä",
            Web,
            Some("bücher.example"),
        ),
        (
            "  https://example.com \n",
            "https://example.com",
            Web,
            Some("example.com"),
        ),
        (
            "ht\ntp\ts://exa\rmple.com",
            "https://example.com",
            Web,
            Some("example.com"),
        ),
        (
            "\u{1}https://example.com\u{7f}",
            "https://example.com",
            Web,
            Some("example.com"),
        ),
        (
            "https:example.com",
            "https://example.com",
            Web,
            Some("example.com"),
        ),
        (
            "https:\\\\example.com\\x?a\\b",
            "https://example.com/x?a\\b",
            Web,
            Some("example.com"),
        ),
        (
            "https:////example.com",
            "https://example.com",
            Web,
            Some("example.com"),
        ),
        (
            "//example.com/x",
            "//example.com/x",
            Web,
            Some("example.com"),
        ),
        ("/\\example.com", "//example.com", Web, Some("example.com")),
        ("\\\\example.com", "//example.com", Web, Some("example.com")),
        (
            "mailto:a@example.com?subject=x",
            "mailto:a@example.com?subject=x",
            Mail,
            None,
        ),
        ("MAILTO:a@example.com", "mailto:a@example.com", Mail, None),
        ("tel:+49-30-123", "tel:+49-30-123", Phone, None),
        ("/docs/a:b", "/docs/a:b", Relative, None),
        (
            "docs/page.html?x=1:2",
            "docs/page.html?x=1:2",
            Relative,
            None,
        ),
        ("#part", "#part", Relative, None),
        (
            "&#106;avascript:alert(1)",
            "&#106;avascript:alert(1)",
            Relative,
            None,
        ),
        ("?q=javascript:1", "?q=javascript:1", Relative, None),
        (
            "./javascript:alert(1)",
            "./javascript:alert(1)",
            Relative,
            None,
        ),
        (
            "javascript%3Aalert(1)",
            "javascript%3Aalert(1)",
            Relative,
            None,
        ),
    ];
    for (text, href, kind, host) in table {
        let found = safe_href(text).unwrap_or_else(|| panic!("{text:?} is refused"));
        assert_eq!(
            (found.href(), found.kind(), found.host()),
            (href, kind, host),
            "{text:?}"
        );
    }
}

#[test]
fn other_schemes_and_malformed_addresses_are_refused() {
    let table = [
        "",
        " \t\n",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "\u{a0}javascript:alert(1)",
        "\u{feff}javascript:alert(1)",
        "\u{0}javascript:alert(1)",
        "\u{1b}javascript:alert(1)",
        "java\nscript:alert(1)",
        "java\tscript:alert(1)",
        "java\r\nscript\n:alert(1)",
        "java\u{0}script:alert(1)",
        "java\u{200b}script:alert(1)",
        "java\u{ad}script:alert(1)",
        "javascript :alert(1)",
        "javascript\u{85}:alert(1)",
        "javascript://example.com/%0aalert(1)",
        "javascript:https://example.com",
        "&Tab;javascript:alert(1)",
        "%6aavascript:alert(1)",
        "ｊavascript:alert(1)",
        "vbscript:msgbox(1)",
        "VBSCRIPT:x",
        "livescript:x",
        "data:text/html,<script>alert(1)</script>",
        "da\tta:text/html;base64,PHN2Zz4=",
        "data:image/png;base64,iVBORw0KGgo=",
        "blob:https://example.com/1234",
        "filesystem:https://example.com/x",
        "file:///etc/passwd",
        "ftp://example.com/x",
        "about:blank",
        "view-source:https://example.com",
        "intent://example.com#Intent;end",
        "ms-word:ofe|u|https://example.com",
        "1javascript:alert(1)",
        ":alert(1)",
        "://example.com",
        "https://",
        "https:///",
        "https://?x",
        "//",
        "///",
        "https://user@example.com/",
        "https://example.org@example.com/",
        "https://example.org:80@example.com/",
        "//example.org@example.com",
        "https://example%2ecom/",
        "https://exa mple.com/",
        "https://example.com:port/",
        "https://example.com:99999/",
        "https://a:b:c/",
        "https://[::1/",
        "mailto:",
        "tel:",
        "tel:??",
    ];
    for text in table {
        assert_eq!(safe_href(text), None, "{text:?}");
    }
    assert_eq!(
        safe_href(&format!("https://example.com/{}", "x".repeat(9_000))),
        None
    );
}

#[test]
fn accepted_addresses_are_stable_and_have_no_other_scheme_or_control() {
    let pieces = [
        "java", "script", ":", "/", "\\", "\t", "\n", "\u{0}", "data", "https", "//", "@", "a",
        " ", "?", "#", "%3a",
    ];
    let mut texts = vec![String::new()];
    for _ in 0..4 {
        texts = texts
            .iter()
            .flat_map(|t| pieces.iter().map(move |p| format!("{t}{p}")))
            .collect();
    }
    for text in texts {
        let Some(found) = safe_href(&text) else {
            continue;
        };
        let href = found.href();
        assert!(!href.chars().any(char::is_control), "{text:?}");
        let head = href.split(['/', '\\', '?', '#']).next().unwrap_or_default();
        let scheme = head.split_once(':').map(|(scheme, _)| scheme);
        assert!(
            matches!(scheme, None | Some("https")),
            "{text:?} gives {href:?}"
        );
        assert_eq!(
            safe_href(href).as_ref().map(|a| a.href()),
            Some(href),
            "{text:?} is stable"
        );
    }
}

#[test]
fn media_is_refused_unless_its_origin_is_allowed() {
    let none = MediaPolicy::default();
    let some = MediaPolicy::default()
        .allow("https://media.example.com")
        .allow("https://other.example:8443/path/is/ignored")
        .allow("javascript:x")
        .allow("//example.net");
    let allowed = [
        (
            "https://media.example.com/a.png",
            "https://media.example.com/a.png",
        ),
        (
            "https://MEDIA.example.com:443/a.png",
            "https://MEDIA.example.com:443/a.png",
        ),
        (
            "//media.example.com/a.png",
            "https://media.example.com/a.png",
        ),
        (
            "https:\\\\media.example.com\\a.png",
            "https://media.example.com/a.png",
        ),
        ("https://other.example:8443/", "https://other.example:8443/"),
    ];
    for (text, src) in allowed {
        assert_eq!(media_src(text, &some).as_deref(), Some(src), "{text:?}");
        assert_eq!(media_src(text, &none), None, "{text:?}");
    }
    let refused = [
        "http://media.example.com/a.png",
        "https://media.example.com.evil.example/a.png",
        "https://media.example.com@evil.example/a.png",
        "https://evil.example/https://media.example.com/",
        "https://evil.example\\@media.example.com/",
        "https://media.example.com:444/a.png",
        "https://media.example.com./a.png",
        "https://sub.media.example.com/a.png",
        "https://other.example/",
        "https://example.net/",
        "//example.net/",
        "/a.png",
        "a.png",
        "mailto:a@media.example.com",
        "blob:https://media.example.com/1",
        "",
    ];
    for text in refused {
        assert_eq!(media_src(text, &some), None, "{text:?}");
    }
    let own = MediaPolicy::default().allow_same_origin();
    assert_eq!(media_src("/a.png", &own).as_deref(), Some("/a.png"));
    assert_eq!(media_src("//evil.example/a.png", &own), None);
    assert_eq!(media_src("\\\\evil.example/a.png", &own), None);
}

#[test]
fn data_urls_are_accepted_for_raster_images_only() {
    let policy = MediaPolicy::default();
    let shown = [
        (
            "data:image/png;base64,iVBORw0KGgo=",
            "data:image/png;base64,iVBORw0KGgo=",
        ),
        (" DATA:Image/JPG;BASE64,AAAA", "data:image/jpeg;base64,AAAA"),
        ("data:image/webp;base64,AA+/", "data:image/webp;base64,AA+/"),
    ];
    for (text, src) in shown {
        assert_eq!(media_src(text, &policy).as_deref(), Some(src), "{text:?}");
    }
    let refused = [
        "data:image/svg+xml;base64,PHN2Zz4=",
        "data:image/svg+xml,<svg/>",
        "data:text/html;base64,AAAA",
        "data:image/png,AAAA",
        "data:image/png;charset=x;base64,AAAA",
        "data:image/png;base64,",
        "data:image/png;base64,AA\"onload=x",
        "data:image/png;base64,AA AA",
        "data:image/png",
        "data:",
    ];
    for text in refused {
        assert_eq!(media_src(text, &policy), None, "{text:?}");
    }
    let small = MediaPolicy::default().max_data(30);
    assert!(image_src("image/gif", &"A".repeat(40), &small).is_some());
    assert_eq!(image_src("image/gif", &"A".repeat(44), &small), None);
}
