//! Provides access to the media policy of the provider.

use std::sync::Arc;

use assistant_core::text::address::MediaPolicy;
use leptos::prelude::*;

/// Returns the active media policy: the policy of `<AssistantProvider media=…>`, or else a policy
/// that fetches nothing.
#[must_use]
pub fn media_policy() -> Arc<MediaPolicy> {
    use_context::<Arc<MediaPolicy>>().unwrap_or_default()
}
