//! Resolves URI references (RFC 3986, section 5.2), as far as schemas require it. References are
//! not validated, and documents are not fetched. `refs` handles fragments.

/// Resolves `reference` (without a fragment) against `base`.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    let base = UriParts::parse(base);
    let mut parts = UriParts::parse(reference);
    let merged_path;
    if parts.scheme.is_none() {
        parts.scheme = base.scheme;
        if parts.authority.is_none() {
            parts.authority = base.authority;
            if parts.path.is_empty() {
                parts.path = base.path;
                parts.query = parts.query.or(base.query);
            } else if !parts.path.starts_with('/') {
                merged_path = replace_last_segment(&base, parts.path);
                parts.path = &merged_path;
            }
        }
    }
    let path = remove_dot_segments(parts.path);

    let mut uri = String::new();
    if let Some(scheme) = parts.scheme {
        uri.push_str(scheme);
        uri.push(':');
    }
    if let Some(authority) = parts.authority {
        uri.push_str("//");
        uri.push_str(authority);
    }
    uri.push_str(&path);
    if let Some(query) = parts.query {
        uri.push('?');
        uri.push_str(query);
    }
    uri
}

struct UriParts<'u> {
    scheme: Option<&'u str>,
    authority: Option<&'u str>,
    path: &'u str,
    query: Option<&'u str>,
}

impl<'u> UriParts<'u> {
    fn parse(uri: &'u str) -> Self {
        let (rest, query) = match uri.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (uri, None),
        };
        let (scheme, rest) = match rest.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
            _ => (None, rest),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let end = rest.find('/').unwrap_or(rest.len());
                let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
                (Some(authority), path)
            }
            None => (None, rest),
        };
        Self {
            scheme,
            authority,
            path,
            query,
        }
    }
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Replaces the base path's last segment with `path`.
fn replace_last_segment(base: &UriParts<'_>, path: &str) -> String {
    let mut merged_path = match base.path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/"),
        None if base.authority.is_some() => "/".into(),
        None => String::new(),
    };
    merged_path.push_str(path);
    merged_path
}

/// Removes `.` and `..` segments from a path.
fn remove_dot_segments(path: &str) -> String {
    let (root, path) = match path.strip_prefix('/') {
        Some(path) => ("/", path),
        None => ("", path),
    };
    let mut segments: Vec<&str> = Vec::new();
    let mut ends_with_dots = false;
    for segment in path.split('/') {
        ends_with_dots = matches!(segment, "." | "..");
        match segment {
            "." => {}
            ".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    let slash = if ends_with_dots && !segments.is_empty() {
        "/"
    } else {
        ""
    };
    format!("{root}{}{slash}", segments.join("/"))
}
