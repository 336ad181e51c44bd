//! What browsers check files against, and what names files by their content.

use base64::{Engine, prelude::BASE64_STANDARD};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// The value of `integrity` by SHA-256.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(bytes)))
}

/// The values of `integrity` that a page may name a file by.
pub(crate) fn all(bytes: &[u8]) -> [String; 3] {
    let of = |name: &str, digest: &[u8]| format!("{name}-{}", BASE64_STANDARD.encode(digest));
    [
        of("sha256", &Sha256::digest(bytes)),
        of("sha384", &Sha384::digest(bytes)),
        of("sha512", &Sha512::digest(bytes)),
    ]
}

/// Enough of it to name a file.
pub(crate) fn short(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_browsers_write_them() {
        // The digest of nothing, from RFC 6234's sources.
        let nothing = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        assert_eq!(sha256(b""), nothing);
        assert_eq!(all(b"")[0], nothing);
        assert_eq!(short(b""), "e3b0c44298fc1c14");
    }
}
