//! Renders the steps that the agent reports, as a line that expands to a list.

use assistant_core::session::AgentStep;
use leptos::prelude::*;

use crate::{
    assistant::{Assistant, assistant_for},
    ui::{Icon, Words, dynamic, each, memo, spinner, when},
};

/// The maximum length of the reason for a failed step, in characters.
const MAX_WORDS: usize = 400;

/// Shows the steps of the current run; renders nothing if there are none. Once the run is over, the
/// steps are shown with the last message of the run ([`MessageNotes`](crate::chat::MessageNotes)).
#[component]
pub fn RunSteps(
    /// The assistant of the run; the one in context if omitted.
    #[prop(optional)]
    assistant: Option<Assistant>,
) -> impl IntoView {
    let assistant = assistant_for(assistant, "RunSteps")?;
    let some = {
        let steps = assistant.agent_steps();
        memo(move || steps.with(|steps| !steps.is_empty()))
    };
    let draw = move || {
        let activity = assistant.activity();
        step_list(
            assistant.agent_steps(),
            memo(move || activity.get().streaming),
        )
    };
    Some(when(move || some.get(), draw))
}

/// Renders the steps of finished runs, which are stored with a message.
pub(crate) fn stored_steps(steps: ArcReadSignal<Vec<AgentStep>>) -> AnyView {
    step_list(steps, memo(|| false))
}

/// Returns the label with the number of steps.
fn count_label(words: &Words, count: usize) -> String {
    match count {
        1 => words.word(|l| &l.one_tool_call).into_owned(),
        _ => {
            let word = words.word(|l| &l.tool_calls);
            word.replace("{count}", &count.to_string())
        }
    }
}

fn step_list(steps: ArcReadSignal<Vec<AgentStep>>, busy: Memo<bool>) -> AnyView {
    let words = Words::current();
    let cut = {
        let steps = steps.clone();
        memo(move || !busy.get() && steps.with(|steps| steps.iter().any(|step| !step.finished())))
    };
    let unfinished = words.clone();
    let unfinished = move || {
        view! {
            <span class="la-steps-cut">
                {Icon::Ban.view()} <span>{unfinished.text(|l| &l.step_unfinished)}</span>
            </span>
        }
        .into_any()
    };
    let head = {
        let steps = steps.clone();
        let words = words.clone();
        move || {
            let now = steps.with(|steps| {
                let open = steps.iter().rev().find(|step| !step.finished());
                open.map(|step| step.name().to_owned())
            });
            match now.filter(|_| busy.get()) {
                Some(name) => view! { {spinner()}<span dir="auto">{name}</span> }.into_any(),
                None => view! {
                    {Icon::chevron()}
                    <span>{count_label(&words, steps.with(Vec::len))}</span>
                }
                .into_any(),
            }
        }
    };
    let numbered = move || steps.get().into_iter().enumerate().collect();
    let item = move |(_, step): (usize, AgentStep)| {
        let (done, failed) = (step.finished(), step.failure().is_some());
        let mark = move || match (done, busy.get()) {
            (true, _) if failed => Icon::Alert.view().into_any(),
            (true, _) => Icon::Check.view().into_any(),
            (false, true) => spinner().into_any(),
            (false, false) => Icon::Ban.view().into_any(),
        };
        let words = words.clone();
        let state = move || match (done, busy.get()) {
            (true, _) if failed => words.word(|l| &l.call_failed),
            (true, _) => words.word(|l| &l.done),
            (false, true) => words.word(|l| &l.running),
            (false, false) => words.word(|l| &l.step_unfinished),
        };
        let failure = step.failure().map(|words| {
            let words: String = words.chars().take(MAX_WORDS).collect();
            view! { <span class="la-run-step-failure" dir="auto">{words}</span> }
        });
        view! {
            <li class="la-run-step">
                {dynamic(mark)}
                <div class="la-run-step-text">
                    <span dir="auto">{step.name()}</span>
                    <span class="la-visually-hidden">", " {dynamic(state)} {failed.then_some(": ")}</span>
                    {failure}
                </div>
            </li>
        }
        .into_any()
    };
    view! {
        <details class="la-steps">
            <summary class="la-steps-summary">
                {dynamic(head)} {when(move || cut.get(), unfinished)}
            </summary>
            <ol class="la-steps-list">
                {each(numbered, |(place, step)| format!("{place} {}", step.finished()), item)}
            </ol>
        </details>
    }
    .into_any()
}
