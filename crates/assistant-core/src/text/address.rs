//! Addresses that agents write: which a person may follow, and which media the page may fetch.
//!
//! An address is first cleaned the way browsers clean it, then judged, and what is handed out is
//! the cleaned text: so the one that was judged is the one that is used. Nothing is fetched here.

/// The longest address that is taken for one, in bytes.
const MAX_LEN: usize = 8 * 1024;

/// An address that a person may follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    href: String,
    kind: AddressKind,
    origin: Option<String>,
}

/// The kind of target that an address leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressKind {
    /// To a page or file on a named host.
    Web,
    /// To somewhere on the host of the page itself.
    Relative,
    /// To a mail program.
    Mail,
    /// To a telephone.
    Phone,
}

impl Address {
    /// Returns the value of the link's `href`.
    #[must_use]
    pub fn href(&self) -> &str {
        &self.href
    }

    /// Returns the kind of target.
    #[must_use]
    pub const fn kind(&self) -> AddressKind {
        self.kind
    }

    /// The host with its port, if it names one; may hold characters of any script.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        let origin = self.origin.as_deref()?;
        origin.split_once("//").map(|(_, host)| host)
    }

    /// Scheme, host and port in lower case, a default port left out: `https://example.com:8443`.
    /// Without a scheme of its own it begins with `//`.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }
}

/// The address, if it is one that a person may follow: http, https, mailto, tel, or relative.
///
/// Anything else gives `None`: other schemes in whatever disguise, an address that hides its host
/// behind a user name, one with a colon where no scheme ends, and the empty text.
#[must_use]
pub fn safe_href(text: &str) -> Option<Address> {
    if text.len() > MAX_LEN {
        return None;
    }
    let text = clean(text);
    if text.is_empty() {
        return None;
    }
    match split_scheme(&text) {
        Some((scheme, rest)) => match scheme.to_ascii_lowercase().as_str() {
            scheme @ ("http" | "https") => web(scheme, rest),
            "mailto" => plain("mailto", rest, AddressKind::Mail),
            "tel" => plain("tel", rest, AddressKind::Phone),
            _ => None,
        },
        None => relative(&text),
    }
}

/// Browsers drop tabs and line breaks anywhere and controls at both ends. Here every control goes
/// from everywhere, so that no reading of the rest can differ.
fn clean(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !c.is_control()).collect();
    kept.trim().to_owned()
}

/// What stands before the first colon, if that comes before any path, query or fragment.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    (!scheme.contains(['/', '\\', '?', '#'])).then_some((scheme, rest))
}

fn plain(scheme: &str, rest: &str, kind: AddressKind) -> Option<Address> {
    let some = rest.chars().any(char::is_alphanumeric);
    some.then(|| Address {
        href: format!("{scheme}:{rest}"),
        kind,
        origin: None,
    })
}

/// Browsers take any number of slashes, either way round, for the two before the host.
fn web(scheme: &str, rest: &str) -> Option<Address> {
    let rest = straighten(rest);
    let rest = rest.trim_start_matches('/');
    let host = host_of(rest, scheme)?;
    Some(Address {
        href: format!("{scheme}://{rest}"),
        kind: AddressKind::Web,
        origin: Some(format!("{scheme}://{host}")),
    })
}

fn relative(text: &str) -> Option<Address> {
    let text = straighten(text);
    if let Some(rest) = text.strip_prefix("//") {
        let rest = rest.trim_start_matches('/');
        let host = host_of(rest, "")?;
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

/// Turns backslashes before query and fragment into the slashes that browsers take them for.
fn straighten(text: &str) -> String {
    let path_len = text.find(['?', '#']).unwrap_or(text.len());
    match text.split_at_checked(path_len) {
        Some((path, tail)) => path.replace('\\', "/") + tail,
        None => text.to_owned(),
    }
}

/// Host and port in lower case. Nothing where the host is not plain to see: empty, behind a user
/// name, or written in escapes or spaces.
fn host_of(rest: &str, scheme: &str) -> Option<String> {
    let authority = rest.split(['/', '?', '#']).next()?;
    let bad = |c: char| {
        c.is_whitespace() || matches!(c, '@' | '%' | '<' | '>' | '^' | '|' | '`' | '"' | '{' | '}')
    };
    if authority.contains(bad) {
        return None;
    }
    // The colons of an IPv6 address stand in brackets.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (authority, ""),
    };
    let bracketed = host.starts_with('[') && host.ends_with(']');
    if host.is_empty() || (host.contains([':', '[', ']']) && !bracketed) {
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

/// The media that the page may load by itself. Anything else is named and linked instead.
///
/// By default nothing is fetched: an image that an agent names could tell another server what
/// stands in the conversation. Images that lie in the message itself are shown.
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
    /// Lets media be fetched from an origin, such as `https://media.example.com`. What is no
    /// http or https origin allows nothing.
    #[must_use]
    pub fn allow(mut self, origin: &str) -> Self {
        let found = safe_href(origin).and_then(|address| address.origin);
        self.origins
            .extend(found.filter(|origin| origin.starts_with("http")));
        self
    }

    /// Lets media be fetched from the page's own host, by relative addresses.
    ///
    /// Such a request carries the person's cookies: allow it only where no address does anything
    /// by being fetched.
    #[must_use]
    pub const fn allow_own_origin(mut self) -> Self {
        self.own_origin = true;
        self
    }

    /// Sets the largest size in bytes of an image inside a message; 10 MiB by default.
    #[must_use]
    pub const fn max_data(mut self, bytes: usize) -> Self {
        self.max_data = bytes;
        self
    }
}

/// Returns the value of `src` that shows this, if the policy allows it: an address of an allowed
/// origin, or a `data:` address of a raster image.
#[must_use]
pub fn media_src(text: &str, policy: &MediaPolicy) -> Option<String> {
    if let Some(rest) = after_data(text) {
        let (head, data) = rest.split_once(',')?;
        let (mime_type, encoding) = head.split_once(';')?;
        let base64 = encoding.trim().eq_ignore_ascii_case("base64");
        return base64.then(|| image_src(mime_type, data, policy)).flatten();
    }
    let address = safe_href(text)?;
    match (address.kind, address.origin) {
        (AddressKind::Relative, _) => policy.own_origin.then_some(address.href),
        (AddressKind::Web, Some(origin)) => {
            let bare = origin.starts_with("//");
            let (origin, src) = if bare {
                (format!("https:{origin}"), format!("https:{}", address.href))
            } else {
                (origin, address.href)
            };
            policy.origins.contains(&origin).then_some(src)
        }
        _ => None,
    }
}

/// What follows `data:`; not copied, since it may be long.
fn after_data(text: &str) -> Option<&str> {
    let text = text.trim();
    let (scheme, rest) = text.split_once(':')?;
    scheme.eq_ignore_ascii_case("data").then_some(rest)
}

/// A `data:` address for an image given as base64, if it is one of raster types (an SVG is a
/// document, not a picture) and small enough.
#[must_use]
pub fn image_src(mime_type: &str, base64: &str, policy: &MediaPolicy) -> Option<String> {
    let mime_type = raster(mime_type)?;
    // Four characters stand for three bytes.
    if base64.len() / 4 > policy.max_data / 3 {
        return None;
    }
    let alphabet = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let fits = !base64.is_empty() && base64.bytes().all(alphabet);
    fits.then(|| format!("data:{mime_type};base64,{base64}"))
}

fn raster(mime_type: &str) -> Option<&'static str> {
    let known = [
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "image/avif",
    ];
    let given = mime_type.trim();
    if given.eq_ignore_ascii_case("image/jpg") {
        return Some("image/jpeg");
    }
    known
        .into_iter()
        .find(|known| known.eq_ignore_ascii_case(given))
}
