//! Renders the count of held-back questions, the button that denies all questions, and the mark on
//! a call that is equal to a denied call.

use assistant_core::session::OpenInterrupt;
use leptos::{html, prelude::*};
use serde_json::Value;

use crate::{
    action::ToolCallView,
    assistant::Assistant,
    ui::{Icon, LabelName, Words, decider_by, dynamic, focus, memo, when},
};

/// Renders the button that denies all open questions and stops the assistant. Before that,
/// `pass_focus` moves the focus out of the elements that are removed.
pub(super) fn stop_button(assistant: &Assistant, pass_focus: impl Fn() + 'static) -> AnyView {
    let (words, assistant) = (Words::current(), assistant.clone());
    let stop = move |event: leptos::ev::MouseEvent| {
        pass_focus();
        // The error is ignored, because `deny_all` fails only if no question is open.
        let _ = assistant.deny_all(decider_by(&event));
    };
    view! {
        <button type="button" class="la-button la-deny-all" data-variant="quiet" on:click=stop>
            <span>{words.text(LabelName::DenyAllAndStop)}</span>
        </button>
    }
    .into_any()
}

/// Renders the line below the agent's questions, which is shown while several questions are open or
/// a question is held back.
pub(super) fn held_back_line(assistant: &Assistant) -> AnyView {
    let interrupts = assistant.interrupts();
    let counts = memo(move || {
        interrupts.with(|list| {
            let open_interrupts: Vec<&OpenInterrupt> =
                list.iter().filter(|open| open.answer().is_none()).collect();
            let held_back = open_interrupts
                .iter()
                .filter(|open| open.is_held_back())
                .count();
            (open_interrupts.len(), held_back)
        })
    });
    let assistant = assistant.clone();
    let line = move || questions_line(&assistant, Memo::new(move |_| counts.get().1));
    when(move || counts.get().0 > 1 || counts.get().1 > 0, line).into_any()
}

fn questions_line(assistant: &Assistant, held_back: Memo<usize>) -> AnyView {
    let words = Words::current();
    let line = NodeRef::<html::Div>::new();
    let pass_focus = move || {
        if let Some(line) = line.get_untracked() {
            focus::pass_focus_on(&line);
        }
    };
    let stop = stop_button(assistant, pass_focus);
    let assistant = assistant.clone();
    let held_back_note = move || {
        let (count_words, assistant) = (words.clone(), assistant.clone());
        let count = move || count_words.count(LabelName::HeldBack, held_back.get());
        let show_questions = move |_| {
            pass_focus();
            // The error is ignored, because `show_held_back` fails only if no question is held
            // back.
            let _ = assistant.show_held_back();
        };
        view! {
            <p class="la-held-back-text">
                {Icon::Alert.view()} <span role="status">{dynamic(count)}</span>
            </p>
            <button type="button" class="la-button la-held-back-show" on:click=show_questions>
                <span>{words.text(LabelName::ShowHeldBack)}</span>
            </button>
        }
        .into_any()
    };
    view! {
        <div class="la-held-back" node_ref=line>
            {when(move || held_back.get() > 0, held_back_note)} {stop}
        </div>
    }
    .into_any()
}

/// Renders a mark on a call about which the user was not asked, because an equal call was denied in
/// the same turn.
pub(super) fn denied_mark(call: ToolCallView<Value>) -> AnyView {
    let words = Words::current();
    dynamic(move || {
        call.was_denied_before().then(|| {
            view! {
                <p class="la-tool-allowed" data-kind="denied">
                    {Icon::Info.view()}
                    <span>{words.text(LabelName::DeniedBefore)}</span>
                </p>
            }
        })
    })
    .into_any()
}
