//! Computes the fingerprints of actions: hashes of name, schema and version.

use std::fmt;

use serde_json::json;

use super::ActionSpec;
use crate::json::canonical::canonical;

/// The maximum length of a stored fingerprint, in bytes.
const MAX_FINGERPRINT_LEN: usize = 64;

/// A hash of an action's name, canonical schema and version.
///
/// The fingerprint is stored with each call, so that calls for an older definition are detected.
/// The hash is not cryptographic, because the author of a schema also controls the handlers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ActionFingerprint(Box<str>);

impl ActionFingerprint {
    /// Returns the fingerprint as text: 32 hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Parses a stored fingerprint. Returns `None` if the text is longer than 64 bytes. Any other
    /// text is accepted, but a text that is not a fingerprint matches no registered action.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        (text.len() <= MAX_FINGERPRINT_LEN).then(|| Self(text.into()))
    }
}

impl fmt::Debug for ActionFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ActionFingerprint({})", self.0)
    }
}

impl fmt::Display for ActionFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ActionSpec {
    /// Returns the fingerprint of the definition. The description is not part of the fingerprint,
    /// because the description does not change the arguments.
    ///
    /// ```
    /// use assistant_core::action::ActionSpec;
    ///
    /// let first = ActionSpec::new("pay", "Pays a bill");
    /// let reworded = first.clone().with_description("Pays an invoice");
    /// assert_eq!(first.fingerprint(), reworded.fingerprint());
    /// let second = first.clone().with_version("2");
    /// assert_ne!(first.fingerprint(), second.fingerprint());
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> ActionFingerprint {
        let text = canonical(&json!([self.name, self.parameters, self.version]));
        ActionFingerprint(format!("{:032x}", hash_fnv1a(text.as_bytes())).into())
    }
}

/// Computes the 128-bit FNV-1a hash.
fn hash_fnv1a(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::hash_fnv1a;

    #[test]
    fn the_hash_matches_published_fnv_values() {
        assert_eq!(hash_fnv1a(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(hash_fnv1a(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
