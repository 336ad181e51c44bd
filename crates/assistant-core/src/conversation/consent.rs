//! A decision of the user together with its subject.

use super::Fingerprint;

/// A value that a decision of the user grants. It is returned only for the subject of the decision:
/// the caller passes the present subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent<T> {
    given: T,
    about: Fingerprint,
}

impl<T> Consent<T> {
    pub(crate) const fn new(given: T, about: Fingerprint) -> Self {
        Self { given, about }
    }

    /// Creates a decision from a record. Its subject is unknown, so that it grants nothing.
    pub(crate) fn of_record(given: T) -> Self {
        Self::new(given, Fingerprint::unknown())
    }

    /// Returns the value if this is the subject of the decision.
    #[must_use]
    pub fn given_for(&self, now: &Fingerprint) -> Option<&T> {
        (self.about == *now).then_some(&self.given)
    }

    /// Returns the value regardless of the subject, for records and for uses without an effect.
    #[must_use]
    pub const fn on_record(&self) -> &T {
        &self.given
    }
}
