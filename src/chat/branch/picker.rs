//! Shows the version of a message, and switches between versions.

use assistant_core::conversation::{MessageId, Sibling};
use leptos::{ev, html, prelude::*};

use super::super::{message_context::MessageContext, transcript_context::TranscriptContext};
use crate::ui::{Icon, IconButton, Labels, Word, Words, dynamic, effect, memo, when};

/// Shows the version of a message, "2 / 3", with buttons for the previous and the next version.
/// Renders nothing for a message with one version. A [`Transcript`](crate::chat::Transcript) shows
/// the picker below each turn that has versions; elsewhere, put it into a
/// [`MessageRoot`](crate::chat::MessageRoot).
///
/// A version is shown with the messages that followed it when it was last shown. Switching is
/// possible while something is running: the activity continues on its branch, and an
/// [`OtherBranch`](super::OtherBranch) leads back.
///
/// # Accessibility
///
/// A group of two buttons, which also supports the arrow keys. The pressed button keeps the focus
/// when the version changes, and the new version is announced. The previous button is
/// `aria-disabled` at the first version, the next button at the last version.
///
/// # Styling
///
/// `la-branch-picker` with `la-branch-place` in it.
#[component]
pub fn BranchPicker() -> impl IntoView {
    let Some(spoken) = MessageContext::find_surrounding("BranchPicker") else {
        return ().into_any();
    };
    let shared = spoken.shared();
    let (assistant, id) = (spoken.assistant.clone(), spoken.message.id.clone());
    let of = id.clone();
    let has_versions = move || {
        assistant
            .current_version(&of)
            .is_some_and(|(_, count)| count > 1)
    };
    when(has_versions, move || picker(&shared, &id)).into_any()
}

/// Renders the picker of a message, whether or not the message has other versions.
pub(in crate::chat) fn picker(shared: &TranscriptContext, id: &MessageId) -> AnyView {
    let words = Words::current();
    let (assistant, of) = (shared.assistant.clone(), id.clone());
    let place = memo(move || assistant.current_version(&of).unwrap_or((1, 1)));
    let buttons = [NodeRef::<html::Button>::new(), NodeRef::new()];
    restore_focus_after_switch(shared, id, buttons, place, &words);
    let act = {
        let (shared, id) = (shared.clone(), id.clone());
        move |to: Sibling| show_sibling(&shared, &id, to)
    };
    let by_key = act.clone();
    let pressed = move |event: ev::KeyboardEvent| {
        let to = match event.key().as_str() {
            "ArrowLeft" => Sibling::Previous,
            "ArrowRight" => Sibling::Next,
            _ => return,
        };
        event.prevent_default();
        by_key(to);
    };
    let short = words.clone();
    let short = move || format_version(&short.word(|l| &l.version_place), place.get());
    let long = words.clone();
    let long = move || format_version(&long.word(|l| &l.version), place.get());
    let [before, after] = buttons;
    let back = act.clone();
    view! {
        <div
            class="la-branch-picker"
            role="group"
            aria-label=words.attr(|l| &l.versions)
            on:keydown=pressed
        >
            {arrow_button(
                &words,
                before,
                |l| &l.previous_version,
                Icon::ChevronLeft,
                Signal::derive(move || place.get().0 <= 1),
                Box::new(move || back(Sibling::Previous)),
            )}
            <span class="la-branch-place" aria-hidden="true">
                {dynamic(short)}
            </span>
            <span class="la-visually-hidden">{dynamic(long)}</span>
            {arrow_button(
                &words,
                after,
                |l| &l.next_version,
                Icon::Chevron,
                Signal::derive(move || place.get().0 >= place.get().1),
                Box::new(move || act(Sibling::Next)),
            )}
        </div>
    }
    .into_any()
}

fn show_sibling(shared: &TranscriptContext, id: &MessageId, to: Sibling) {
    let other = shared
        .assistant
        .with_conversation(|conversation| conversation.sibling(id, to).ok().cloned());
    let Some(other) = other.flatten() else {
        return;
    };
    shared.hold_position();
    if shared.assistant.branches().show(id, to).is_ok() {
        shared.wanted.set(Some((other, to)));
    }
}

/// After a switch by a picker, moves the focus to the same button of the new version, resumes
/// following the end, and announces the version.
fn restore_focus_after_switch(
    shared: &TranscriptContext,
    id: &MessageId,
    [before, after]: [NodeRef<html::Button>; 2],
    place: Memo<(usize, usize)>,
    words: &Words,
) {
    let (shared, id, words) = (shared.clone(), id.clone(), words.clone());
    effect(move |_| {
        let asked = shared.wanted.with(|wanted| {
            let mine = wanted.as_ref().filter(|(of, _)| *of == id);
            mine.map(|(_, to)| *to)
        });
        let button = match asked {
            Some(Sibling::Previous) => before.get(),
            Some(Sibling::Next) => after.get(),
            None => None,
        };
        if let Some(button) = button {
            shared.wanted.set(None);
            let options = web_sys::FocusOptions::new();
            options.set_prevent_scroll(true);
            // Focusing an element in the page cannot fail.
            let _ = button.focus_with_options(&options);
            shared.resume_following();
            let place = place.get_untracked();
            shared.announce(format_version(&words.now().version, place));
        }
    });
}

fn format_version(word: &str, (number, count): (usize, usize)) -> String {
    word.replace("{number}", &number.to_string())
        .replace("{count}", &count.to_string())
}

fn arrow_button(
    words: &Words,
    node: NodeRef<html::Button>,
    name: fn(&Labels) -> &Word,
    icon: Icon,
    ends: Signal<bool>,
    act: Box<dyn Fn()>,
) -> AnyView {
    IconButton {
        node,
        disabled: ends,
        ..IconButton::new(name, icon, move |_| act())
    }
    .view(words)
}
