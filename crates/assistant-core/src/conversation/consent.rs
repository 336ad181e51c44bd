//! A decision of the user together with what it was about.

use super::Fingerprint;

/// Something that a person's decision gives. It can be had only for what the decision was about:
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

    /// A decision out of a record. What it was about is not known, so that it gives nothing.
    pub(crate) fn of_record(given: T) -> Self {
        Self::new(given, Fingerprint::unknown())
    }

    /// Returns what was given, if this is what the decision was about.
    #[must_use]
    pub fn given_for(&self, now: &Fingerprint) -> Option<&T> {
        (self.about == *now).then_some(&self.given)
    }

    /// Returns what was given, for records and for what lets nothing happen.
    #[must_use]
    pub const fn on_record(&self) -> &T {
        &self.given
    }
}
