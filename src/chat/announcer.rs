//! What a window says aloud.

use assistant_core::session::FinishReason;
use leptos::prelude::*;

use super::{asks::own_asks, composer::is_asked};
use crate::{
    assistant::{Assistant, assistant_for},
    tool::claim,
    ui::{Labels, Word, Words, dynamic},
    view::{Activity, Question},
};

/// Says aloud what the eye sees: a question, or that the answer is there. Never the text itself
/// while it is being written. A window has one.
///
/// ```
/// use leptos::prelude::*;
/// use leptos_assistant::chat::{Announcer, ChatRoot, Composer, Transcript};
///
/// # #[component]
/// # fn App() -> impl IntoView {
/// view! { <ChatRoot><Transcript /> <Composer /> <Announcer /></ChatRoot> }
/// # }
/// ```
#[component]
pub fn Announcer(
    /// Whose conversation; the one above without it.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "Announcer")?;
    let words = Words::current();
    let activity = assistant.activity();
    // Of several windows one speaks.
    let claim = claim(&assistant, Question::Speech);
    let (interrupts, notices) = (assistant.interrupts(), assistant.notices());
    let said = RwSignal::new(None::<fn(&Labels) -> &Word>);
    let own = own_asks(&assistant);
    Effect::new(move |known: Option<usize>| {
        let now = own.get();
        if now > known.unwrap_or_default() {
            said.set(Some(|l| &l.approval_asked));
        }
        now
    });
    Effect::new(move |known: Option<Activity>| {
        let now = activity.get();
        let before = known.unwrap_or_default();
        if now.asking && !before.asking {
            said.set(Some(|l| &l.question_asked));
        } else if now.waiting && !before.waiting {
            let asked = interrupts.with_untracked(|list| list.iter().any(is_asked));
            said.set(match asked {
                true => Some(|l| &l.question_asked),
                false => Some(|l| &l.approval_asked),
            });
        } else if now.busy && !before.busy {
            said.set(None);
        } else if !now.busy && before.busy {
            // A notice speaks for itself: that there is no answer, or no more of it.
            let finished = assistant.summary().with_untracked(|summary| summary.finish)
                == Some(FinishReason::Stop)
                && notices.with_untracked(Vec::is_empty);
            said.set(finished.then_some(|l| &l.answer_finished));
        }
        now
    });
    let text = move || {
        let here = claim.elsewhere.with(Option::is_none);
        let said = said.get().filter(|_| here);
        said.map(|of| words.word(of))
    };
    Some(view! { <p class="la-visually-hidden" role="status">{dynamic(text)}</p> })
}
