//! Renders the steps that the agent reports, as a line that expands to a list.

use assistant_core::session::AgentStep;
use leptos::prelude::*;

use crate::{
    assistant::{Assistant, assistant_for},
    ui::{Icon, LabelName, Words, dynamic, each, memo, spinner, when},
};

/// The maximum length of the reason for a failed step, in characters.
const MAX_FAILURE: usize = 400;

/// Shows the steps of the current run. Renders nothing if there are no steps. Once the run is over,
/// the steps are shown with the last message of the run
/// ([`MessageNotes`](crate::chat::MessageNotes)).
#[component]
pub fn RunSteps(
    /// The assistant of the run. If omitted, the assistant in context is used.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "RunSteps")?;
    let has_steps = {
        let steps = assistant.agent_steps();
        memo(move || steps.with(|steps| !steps.is_empty()))
    };
    let render_list = move || {
        let activity = assistant.activity();
        step_list(
            assistant.agent_steps(),
            memo(move || activity.get().streaming),
        )
    };
    Some(when(move || has_steps.get(), render_list))
}

/// Renders the steps of finished runs, which are stored with a message.
pub(crate) fn stored_steps(steps: ArcReadSignal<Vec<AgentStep>>) -> AnyView {
    step_list(steps, memo(|| false))
}

fn step_list(steps: ArcReadSignal<Vec<AgentStep>>, busy: Memo<bool>) -> AnyView {
    let words = Words::current();
    let has_unfinished_step = {
        let steps = steps.clone();
        memo(move || !busy.get() && steps.with(|steps| steps.iter().any(|step| !step.finished())))
    };
    let note_words = words.clone();
    let unfinished_note = move || {
        view! {
            <span class="la-steps-cut">
                {Icon::Ban.view()} <span>{note_words.text(LabelName::StepUnfinished)}</span>
            </span>
        }
        .into_any()
    };
    let summary = {
        let steps = steps.clone();
        let words = words.clone();
        move || {
            let open_step_name = steps.with(|steps| {
                let open_step = steps.iter().rev().find(|step| !step.finished());
                open_step.map(|step| step.name().to_owned())
            });
            match open_step_name.filter(|_| busy.get()) {
                Some(name) => view! { {spinner()}<span dir="auto">{name}</span> }.into_any(),
                None => view! {
                    {Icon::chevron()}
                    <span>{words.count(LabelName::ToolCalls, steps.with(Vec::len))}</span>
                }
                .into_any(),
            }
        }
    };
    let numbered_steps = move || steps.get().into_iter().enumerate().collect();
    let render_step = move |(_, step): (usize, AgentStep)| {
        let (is_finished, has_failed) = (step.finished(), step.failure().is_some());
        let icon = move || match (is_finished, busy.get()) {
            (true, _) if has_failed => Icon::Alert.view().into_any(),
            (true, _) => Icon::Check.view().into_any(),
            (false, true) => spinner().into_any(),
            (false, false) => Icon::Ban.view().into_any(),
        };
        let words = words.clone();
        let state_text = move || match (is_finished, busy.get()) {
            (true, _) if has_failed => words.word(LabelName::CallFailed),
            (true, _) => words.word(LabelName::Done),
            (false, true) => words.word(LabelName::Running),
            (false, false) => words.word(LabelName::StepUnfinished),
        };
        let failure = step.failure().map(|reason| {
            let reason: String = reason.chars().take(MAX_FAILURE).collect();
            view! { <span class="la-run-step-failure" dir="auto">{reason}</span> }
        });
        view! {
            <li class="la-run-step">
                {dynamic(icon)}
                <div class="la-run-step-text">
                    <span dir="auto">{step.name()}</span>
                    <span class="la-visually-hidden">", " {dynamic(state_text)} {has_failed.then_some(": ")}</span>
                    {failure}
                </div>
            </li>
        }
        .into_any()
    };
    view! {
        <details class="la-steps">
            <summary class="la-steps-summary">
                {dynamic(summary)} {when(move || has_unfinished_step.get(), unfinished_note)}
            </summary>
            <ol class="la-steps-list">
                {each(numbered_steps, |(index, step)| format!("{index} {}", step.finished()), render_step)}
            </ol>
        </details>
    }
    .into_any()
}
