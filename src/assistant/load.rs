//! Loads the deferred parts of a split build before they are used.

use super::Assistant;

/// Loads the deferred parts of a build with the feature `split`, and resolves once the assistant
/// handles its inputs. Until then inputs are accepted and queued, and the assistant's signals have
/// their initial values. Resolves at once in other builds.
///
/// If the parts cannot be loaded, the future waits until a later attempt succeeds, such as an
/// attempt by the button "Retry" of a window.
///
/// ```
/// # use leptos::prelude::*;
/// # fn example(assistant: leptos_assistant::Assistant) {
/// use leptos_assistant::load_parts;
///
/// leptos::task::spawn_local(async move {
///     load_parts(&assistant).await;
///     assistant.send("Hello").ok();
/// });
/// # }
/// ```
#[cfg_attr(
    not(feature = "split"),
    allow(clippy::unused_async, reason = "a split build waits")
)]
pub async fn load_parts(assistant: &Assistant) {
    #[cfg(feature = "split")]
    {
        use crate::runtime::engine;

        let runtime = assistant.runtime().weak();
        if !engine::load_engine(runtime.clone()).await {
            engine::wait_until_loaded().await;
            engine::load_engine(runtime).await;
        }
    }
    #[cfg(not(feature = "split"))]
    let _ = assistant;
}
