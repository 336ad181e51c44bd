//! Validates addresses that agents wrote: links that a user may follow, and media that the page may
//! fetch.
//!
//! An address is normalized as in browsers and then checked. The normalized text is returned, so
//! that the checked address is also the address that is used. Nothing is fetched here.

/// The longest accepted address, in bytes.
const MAX_LEN: usize = 8 * 1024;

/// An address that a user may follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    href: String,
    kind: AddressKind,
    origin: Option<String>,
}

/// The kind of an address's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressKind {
    /// An `http:` or `https:` URL, or a URL without a scheme that begins with `//` and a host.
    Web,
    /// A URL without a scheme and a host, relative to the page.
    Relative,
    /// A `mailto:` URL.
    Mail,
    /// A `tel:` URL.
    Phone,
}

impl Address {
    /// Returns the address as the value of a link's `href` attribute.
    #[must_use]
    pub fn href(&self) -> &str {
        &self.href
    }

    /// Returns the kind of the address's target.
    #[must_use]
    pub const fn kind(&self) -> AddressKind {
        self.kind
    }

    /// Returns the host with its port, if the address contains a host. The host may contain
    /// characters of any script.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        let origin = self.origin.as_deref()?;
        origin.split_once("//").map(|(_, host)| host)
    }

    /// Returns the scheme, the host and the port in lower case, without a default port, such as
    /// `https://example.com:8443`. The result begins with `//` if the address has no scheme.
    /// Returns `None` for an address without a host.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }
}

/// Parses an address that a user may follow: http, https, mailto, tel, or relative.
///
/// Returns `None` for an empty string and for all other addresses: those with another scheme,
/// without a valid host after `http:`, `https:` or `//`, with a user name before the host, with a
/// colon that does not end a scheme, or longer than 8 KiB.
#[must_use]
pub fn safe_href(text: &str) -> Option<Address> {
    if text.len() > MAX_LEN {
        return None;
    }
    let text = strip_controls(text);
    if text.is_empty() {
        return None;
    }
    match split_scheme(&text) {
        Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
            scheme @ ("http" | "https") => parse_web_address(scheme, rest),
            "mailto" => parse_contact_address("mailto", rest, AddressKind::Mail),
            "tel" => parse_contact_address("tel", rest, AddressKind::Phone),
            _ => None,
        },
        None => parse_relative_address(&text),
    }
}

/// Removes control characters and surrounding white space. Browsers drop tabs and line breaks
/// anywhere and control characters at both ends. Removing all of them ensures that no parser reads
/// the rest differently.
fn strip_controls(text: &str) -> String {
    let visible_text: String = text.chars().filter(|c| !c.is_control()).collect();
    visible_text.trim().to_owned()
}

/// Splits an address at the first colon. Returns `None` if no colon precedes the path, query and
/// fragment.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    (!scheme.contains(['/', '\\', '?', '#'])).then_some((scheme, rest))
}

fn parse_contact_address(scheme: &str, rest: &str, kind: AddressKind) -> Option<Address> {
    let has_content = rest.chars().any(char::is_alphanumeric);
    has_content.then(|| Address {
        href: format!("{scheme}:{rest}"),
        kind,
        origin: None,
    })
}

/// Parses the part of a web address after the scheme. Returns `None` if the host is not valid. Any
/// number of slashes and backslashes may precede the host, as in browsers.
fn parse_web_address(scheme: &str, rest: &str) -> Option<Address> {
    let rest = normalize_backslashes(rest);
    let rest = rest.trim_start_matches('/');
    let host = parse_host(rest, scheme)?;
    Some(Address {
        href: format!("{scheme}://{rest}"),
        kind: AddressKind::Web,
        origin: Some(format!("{scheme}://{host}")),
    })
}

fn parse_relative_address(text: &str) -> Option<Address> {
    let text = normalize_backslashes(text);
    if let Some(rest) = text.strip_prefix("//") {
        let rest = rest.trim_start_matches('/');
        let host = parse_host(rest, "")?;
        return Some(Address {
            href: format!("//{rest}"),
            kind: AddressKind::Web,
            origin: Some(format!("//{host}")),
        });
    }
    Some(Address {
        href: text,
        kind: AddressKind::Relative,
        origin: None,
    })
}

/// Replaces backslashes before the query and the fragment with slashes, as browsers do.
fn normalize_backslashes(text: &str) -> String {
    let path_len = text.find(['?', '#']).unwrap_or(text.len());
    match text.split_at_checked(path_len) {
        Some((path, tail)) => path.replace('\\', "/") + tail,
        None => text.to_owned(),
    }
}

/// Returns the host and the port in lower case, without the default port of the scheme. Returns
/// `None` if the host is empty, follows a user name, or contains escapes or spaces, or if the port
/// is not valid.
fn parse_host(rest: &str, scheme: &str) -> Option<String> {
    let authority = rest.split(['/', '?', '#']).next()?;
    let is_forbidden = |c: char| {
        c.is_whitespace() || matches!(c, '@' | '%' | '<' | '>' | '^' | '|' | '`' | '"' | '{' | '}')
    };
    if authority.contains(is_forbidden) {
        return None;
    }
    // A colon before a closing bracket belongs to an IPv6 address and does not begin the port.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (authority, ""),
    };
    let is_bracketed = host.starts_with('[') && host.ends_with(']');
    if host.is_empty() || (host.contains([':', '[', ']']) && !is_bracketed) {
        return None;
    }
    let host = host.to_ascii_lowercase();
    let port = match port {
        "" => None,
        digits if digits.bytes().all(|b| b.is_ascii_digit()) => Some(digits.parse::<u16>().ok()?),
        _ => return None,
    };
    match (scheme, port) {
        (_, None) | ("http", Some(80)) | ("https", Some(443)) => Some(host),
        (_, Some(port)) => Some(format!("{host}:{port}")),
    }
}

/// The media that the page may load automatically. For other media, a name and a link are shown
/// instead.
///
/// By default nothing is fetched, since an image URL written by an agent could leak the
/// conversation to another server. Raster images whose bytes are part of the message are shown, up
/// to the size [`Self::max_data`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaPolicy {
    origins: Vec<String>,
    own_origin: bool,
    max_data: usize,
}

impl Default for MediaPolicy {
    fn default() -> Self {
        Self {
            origins: Vec::new(),
            own_origin: false,
            max_data: 10 * 1024 * 1024,
        }
    }
}

impl MediaPolicy {
    /// Permits media from an origin, such as `https://media.example.com`. A value that is not an
    /// http or https origin permits nothing.
    #[must_use]
    pub fn allow(mut self, origin: &str) -> Self {
        let origin = safe_href(origin).and_then(|address| address.origin);
        self.origins
            .extend(origin.filter(|origin| origin.starts_with("http")));
        self
    }

    /// Permits media from the page's own host, which are addressed by relative URLs.
    ///
    /// The requests carry the user's cookies, so these media should be permitted only if fetching
    /// an address never has an effect.
    #[must_use]
    pub const fn allow_same_origin(mut self) -> Self {
        self.own_origin = true;
        self
    }

    /// Sets the largest size in bytes of an image inside a message. The default is 10 MiB.
    #[must_use]
    pub const fn max_data(mut self, bytes: usize) -> Self {
        self.max_data = bytes;
        self
    }
}

/// Returns the `src` value for media that the policy permits. The value is an address of a
/// permitted origin, or a `data:` URL of a raster image. Returns `None` for other media.
#[must_use]
pub fn media_src(text: &str, policy: &MediaPolicy) -> Option<String> {
    if let Some(rest) = strip_data_scheme(text) {
        let (media_type, data) = rest.split_once(',')?;
        let (mime_type, encoding) = media_type.split_once(';')?;
        let is_base64 = encoding.trim().eq_ignore_ascii_case("base64");
        return is_base64
            .then(|| image_src(mime_type, data, policy))
            .flatten();
    }
    let address = safe_href(text)?;
    match (address.kind, address.origin) {
        (AddressKind::Relative, _) => policy.own_origin.then_some(address.href),
        (AddressKind::Web, Some(origin)) => {
            let has_no_scheme = origin.starts_with("//");
            let (origin, src) = if has_no_scheme {
                (format!("https:{origin}"), format!("https:{}", address.href))
            } else {
                (origin, address.href)
            };
            policy.origins.contains(&origin).then_some(src)
        }
        _ => None,
    }
}

/// Returns the text after `data:` without copying it, since the text may be long. Returns `None`
/// for any other scheme.
fn strip_data_scheme(text: &str) -> Option<&str> {
    let text = text.trim();
    let (scheme, rest) = text.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

/// Returns the `data:` URL of a base64-encoded image. Returns `None` if the image does not have a
/// raster type (SVG is a document format), if the image is too large, or if the data is empty or
/// not base64.
#[must_use]
pub fn image_src(mime_type: &str, base64: &str, policy: &MediaPolicy) -> Option<String> {
    let mime_type = normalize_raster_type(mime_type)?;
    // The size is computed without decoding: four characters encode three bytes.
    if base64.len() / 4 > policy.max_data / 3 {
        return None;
    }
    let is_base64_byte = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let is_valid = !base64.is_empty() && base64.bytes().all(is_base64_byte);
    is_valid.then(|| format!("data:{mime_type};base64,{base64}"))
}

fn normalize_raster_type(mime_type: &str) -> Option<&'static str> {
    let raster_types = [
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/avif",
    ];
    let mime_type = mime_type.trim();
    if mime_type.eq_ignore_ascii_case("image/jpg") {
        return Some("image/jpeg");
    }
    raster_types
        .into_iter()
        .find(|raster_type| raster_type.eq_ignore_ascii_case(mime_type))
}
