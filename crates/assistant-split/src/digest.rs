//! Computes digests of files, for `integrity` attributes and file names.

use base64::{Engine, prelude::BASE64_STANDARD};
use sha2::{Digest, Sha256, Sha384, Sha512};

/// Returns the SHA-256 digest of a file, in the form of the `integrity` attribute.
pub(crate) fn sha256_integrity(bytes: &[u8]) -> String {
    format_integrity("sha256", &Sha256::digest(bytes))
}

/// Returns the digests of a file for all algorithms that browsers support, in the form of the
/// `integrity` attribute.
pub(crate) fn all_integrities(bytes: &[u8]) -> [String; 3] {
    [
        sha256_integrity(bytes),
        format_integrity("sha384", &Sha384::digest(bytes)),
        format_integrity("sha512", &Sha512::digest(bytes)),
    ]
}

fn format_integrity(algorithm: &str, digest: &[u8]) -> String {
    format!("{algorithm}-{}", BASE64_STANDARD.encode(digest))
}

/// Returns the first 16 hexadecimal digits of the SHA-256 digest, for a file name.
pub(crate) fn short_hash(bytes: &[u8]) -> String {
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
    fn digests_have_the_format_of_subresource_integrity() {
        // The digest of the empty string, from RFC 6234's sources.
        let nothing = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
        assert_eq!(sha256_integrity(b""), nothing);
        assert_eq!(all_integrities(b"")[0], nothing);
        assert_eq!(short_hash(b""), "e3b0c44298fc1c14");
    }
}
