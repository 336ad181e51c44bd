//! Denies the open request with the text of the composer as the reason (rule "denying from the
//! composer").

use assistant_core::session::Verdict;
use leptos::{ev, prelude::*};

use super::{
    context::{ComposerContext, SharedComposer},
    parts::ComposerButton,
};
use crate::ui::{Icon, LabelName, Labels, decider_by};

/// The button that denies the open request with the text of the composer as the reason. The button
/// is shown once there is text and no file is attached, while exactly one request is open, nothing
/// else waits for the user, and the request accepts a reason. See
/// [`ComposerRoot`](super::ComposerRoot) for an example.
#[component]
pub fn ComposerDeny(
    /// The content of the button. If omitted, the button shows a label.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let Some(composer) = ComposerContext::find_surrounding("ComposerDeny") else {
        return ().into_any();
    };
    let content = match children {
        Some(children) => children(),
        None => {
            let label = composer.words.text(LabelName::DenyWithText);
            view! { {Icon::Ban.view()} <span>{label}</span> }.into_any()
        }
    };
    let (deniable_request, focused) = (composer.deniable_request, composer.on_deny);
    ComposerButton {
        kind: "button",
        class: "la-button la-composer-deny",
        variant: None,
        is_shown: Signal::derive(move || deniable_request.get().is_some()),
        focused,
        content,
        on_click: Box::new(move |event| deny_request(&composer, &event)),
    }
    .view()
}

/// Denies the request and empties the text box. If the denial is refused, the text stays and the
/// reason is shown. Does nothing if the text is blank, or if the click was meant for a replaced
/// button.
fn deny_request(composer: &SharedComposer, event: &ev::MouseEvent) {
    let text = composer.handle.current_text();
    let call = (composer.deniable_request.get_untracked())
        .and_then(|key| composer.assistant.tool_call(&key));
    let (Some(call), reason) = (call, text.trim()) else {
        return;
    };
    if reason.is_empty() || composer.was_meant_for_replaced_button(event) {
        return;
    }
    let reason = Some(reason.to_owned());
    match call.decide(Verdict::Deny { reason }, decider_by(event)) {
        Ok(()) => composer.clear_text(),
        Err(refusal) => composer.refusal.set(Some(Labels::refusal(&refusal))),
    }
}
