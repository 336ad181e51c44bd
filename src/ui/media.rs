//! Which media the page may fetch, as the provider says.

use std::sync::Arc;

use assistant_core::text::address::MediaPolicy;
use leptos::prelude::*;

/// The policy in force here: what `<AssistantProvider media=…>` says, else that nothing is
/// fetched.
#[must_use]
pub fn media_policy() -> Arc<MediaPolicy> {
    use_context::<Arc<MediaPolicy>>().unwrap_or_default()
}
