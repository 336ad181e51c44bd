//! Binds a decision of the user to the subject of the decision.

use super::Fingerprint;

/// A value that a decision of the user grants. The value is returned only if the subject that the
/// caller passes equals the subject of the decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent<T> {
    given: T,
    about: Fingerprint,
}

impl<T> Consent<T> {
    pub(crate) const fn new(given: T, about: Fingerprint) -> Self {
        Self { given, about }
    }

    /// Creates a decision from a record. The subject of the decision is unknown, so the decision
    /// grants nothing.
    pub(crate) fn from_record(given: T) -> Self {
        Self::new(given, Fingerprint::unknown())
    }

    /// Returns the value if `now` equals the subject of the decision.
    #[must_use]
    pub fn given_for(&self, now: &Fingerprint) -> Option<&T> {
        (self.about == *now).then_some(&self.given)
    }

    /// Returns the value regardless of the subject, for records and for uses that grant nothing.
    #[must_use]
    pub const fn on_record(&self) -> &T {
        &self.given
    }
}
