//! What tells one edition of an action from another: its name, its schema and its version.

use std::fmt;

use serde_json::json;

use super::ActionSpec;
use crate::wire::json::canonical::canonical;

/// The longest one that is read back.
const LONGEST: usize = 64;

/// A short name for an edition of an action: a hash of its name, its canonical schema and its version.
///
/// It is kept with each call, so that a call that was stored under another edition is noticed. It
/// protects against mistakes, not against somebody who makes two schemas with one hash: whoever
/// writes schemas runs the handlers, too.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ActionFingerprint(Box<str>);

impl ActionFingerprint {
    /// The fingerprint as text: 32 hexadecimal digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads what [`Self::as_str`] gave. Anything else that is short is the fingerprint of nothing
    /// that is here.
    pub(crate) fn read(text: &str) -> Option<Self> {
        (text.len() <= LONGEST).then(|| Self(text.into()))
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
    /// Returns the fingerprint of this edition of the action. The description is not in it: other
    /// words are no other arguments.
    ///
    /// ```
    /// use assistant_core::action::ActionSpec;
    ///
    /// let first = ActionSpec::new("pay", "Pays a bill");
    /// let mut second = first.clone();
    /// second.version = Some("2".to_owned());
    /// assert_ne!(first.fingerprint(), second.fingerprint());
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> ActionFingerprint {
        let text = canonical(&json!([self.name, self.parameters, self.version]));
        ActionFingerprint(format!("{:032x}", fnv(text.as_bytes())).into())
    }
}

/// FNV-1a of 128 bits.
fn fnv(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, byte| {
        (hash ^ u128::from(*byte)).wrapping_mul(PRIME)
    })
}

#[cfg(test)]
mod tests {
    use super::fnv;

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(fnv(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
