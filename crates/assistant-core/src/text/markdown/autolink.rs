//! Turns `https://…`, `www.…` and e-mail addresses in the text into links, according to GitHub's
//! rules.
//!
//! There are two differences from GitHub: Chinese and Japanese punctuation ends an address, because
//! no blank follows an address in these languages; and addresses are detected in parsed text, so
//! emphasis takes precedence.

use std::ops::Range;

use super::tree::{Kind, Node};

/// The maximum number of characters of a domain. No domain name is longer.
const MAX_DOMAIN_CHARS: usize = 253;

/// Splits text nodes at addresses, which become links.
pub(super) fn link_addresses(nodes: &mut Vec<Node>) {
    if !nodes
        .iter()
        .any(|node| matches!(&node.kind, Kind::Text(text) if find_address(text, 0).is_some()))
    {
        return;
    }
    for node in std::mem::take(nodes) {
        match node.kind {
            Kind::Text(text) => split_text(&text, nodes),
            _ => nodes.push(node),
        }
    }
}

fn split_text(text: &str, nodes: &mut Vec<Node>) {
    let mut position = 0;
    while let Some(FoundAddress { range, href }) = find_address(text, position) {
        push_text(nodes, text.get(position..range.start));
        position = range.end;
        let title = String::new();
        let mut link = Node::leaf(Kind::Link { href, title });
        push_text(&mut link.children, text.get(range));
        nodes.push(link);
    }
    push_text(nodes, text.get(position..));
}

fn push_text(nodes: &mut Vec<Node>, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        nodes.push(Node::leaf(Kind::Text(text.to_owned())));
    }
}

/// Returns the link target of an e-mail address.
pub(super) fn mailto_href(address: &str) -> String {
    let mut href = String::from("mailto:");
    href.push_str(address);
    href
}

struct FoundAddress {
    range: Range<usize>,
    href: String,
}

/// Returns the first address in `text` at or after the byte position `from`. Returns `None` if
/// there is no address.
fn find_address(text: &str, from: usize) -> Option<FoundAddress> {
    let bytes = text.as_bytes();
    let mut position = from;
    while let Some(distance) = bytes
        .get(position..)?
        .iter()
        .position(|byte| b":@wW".contains(byte))
    {
        position += distance;
        let before = text.get(from..position).unwrap_or_default();
        let after = text.get(position..).unwrap_or_default();
        let address_match = match bytes.get(position) {
            Some(b':') => match_url(before, after),
            Some(b'@') => match_email(before, after),
            _ => match_www(text.get(..position).unwrap_or_default(), after),
        };
        if let Some((back, length, href)) = address_match {
            return Some(FoundAddress {
                range: position - back..position + length,
                href,
            });
        }
        position += 1;
    }
    None
}

/// The numbers of bytes that a match includes before and after a position, and the target of the
/// link. The value is `None` if nothing matches.
type AddressMatch = Option<(usize, usize, String)>;

fn match_url(before: &str, after: &str) -> AddressMatch {
    let rest = after.strip_prefix("://")?;
    let scheme_len = before.len()
        - before
            .trim_end_matches(|c: char| c.is_ascii_alphabetic())
            .len();
    let name = before.get(before.len() - scheme_len..)?;
    if !["https", "http", "ftp"]
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known))
    {
        return None;
    }
    count_domain_periods(rest)?;
    let length = 3 + address_length(rest);
    let mut href = name.to_owned();
    href.push_str(after.get(..length)?);
    Some((scheme_len, length, href))
}

fn match_www(before: &str, after: &str) -> AddressMatch {
    if before.ends_with(|c: char| !c.is_whitespace() && !"*_~(".contains(c))
        || !after.get(..4)?.eq_ignore_ascii_case("www.")
        || count_domain_periods(after)? == 0
    {
        return None;
    }
    let length = address_length(after);
    let mut href = String::from("http://");
    href.push_str(after.get(..length)?);
    Some((0, length, href))
}

fn match_email(before: &str, after: &str) -> AddressMatch {
    let before_local =
        before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || ".-_+".contains(c));
    let mut len_before = before.len() - before_local.len();
    let domain: &str = after.get(1..)?;
    let end = domain
        .find(|c: char| !c.is_ascii_alphanumeric() && !".-_".contains(c))
        .unwrap_or(domain.len());
    let host = domain.get(..end)?.trim_end_matches('.');
    if len_before == 0
        || domain.get(end..)?.starts_with('@')
        || host.ends_with(['-', '_'])
        || host.starts_with('.')
        || !host.contains('.')
        || host.contains("..")
    {
        return None;
    }
    let length = 1 + host.len();
    let address = before.get(before_local.len()..)?;
    let mut href = mailto_href(address);
    href.push_str(after.get(..length)?);
    if before_local.ends_with("mailto:") {
        len_before += "mailto:".len();
    }
    Some((len_before, length, href))
}

/// Returns the number of periods in the domain that `text` begins with. Returns `None` if the
/// domain is not valid. A domain that is too long is not scanned to its end, since a scan may begin
/// at each of its underscores.
fn count_domain_periods(text: &str) -> Option<usize> {
    let limit = text.char_indices().nth(MAX_DOMAIN_CHARS + 1);
    let head = limit.map_or(Some(text), |(limit, _)| text.get(..limit))?;
    let end = match head.find(|c: char| !c.is_alphanumeric() && !".-_".contains(c)) {
        Some(end) => end,
        None if limit.is_some() => return None,
        None => text.len(),
    };
    let domain = text.get(..end)?;
    let last_labels = domain.rsplit('.').take(2);
    (domain.starts_with(char::is_alphanumeric)
        && !last_labels.into_iter().any(|part| part.contains('_')))
    .then(|| domain.trim_end_matches('.').matches('.').count())
}

/// Returns the length in bytes of the address at the start of `text`, without the punctuation at
/// the end of the address.
fn address_length(text: &str) -> usize {
    let end = text
        .find(|c: char| {
            c.is_whitespace()
                || c == '<'
                || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ff65}')
        })
        .unwrap_or(text.len());
    let mut address = text.get(..end).unwrap_or_default();
    // The parentheses are counted only once, since counting them again for each removed character
    // would take quadratic time.
    let mut surplus_count = address
        .matches(')')
        .count()
        .saturating_sub(address.matches('(').count());
    loop {
        let shortened = if address.ends_with(')') && surplus_count > 0 {
            surplus_count -= 1;
            address.strip_suffix(')')
        } else if let Some(before_semicolon) = address.strip_suffix(';') {
            // A trailing entity such as `&amp;` is not part of the address, so it is removed
            // together with its semicolon.
            let name = before_semicolon.trim_end_matches(|c: char| c.is_ascii_alphanumeric());
            Some(
                name.strip_suffix('&')
                    .filter(|_| name.len() < before_semicolon.len())
                    .unwrap_or(before_semicolon),
            )
        } else {
            address.strip_suffix(['?', '!', '.', ',', ':', '*', '_', '~', '\'', '"'])
        };
        match shortened {
            Some(shortened) => address = shortened,
            None => return address.len(),
        }
    }
}
