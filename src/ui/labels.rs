//! All texts of the components, replaceable for another language.

#[cfg(feature = "arabic")]
mod arabic;
#[cfg(feature = "chinese")]
mod chinese;
mod english;
#[cfg(feature = "french")]
mod french;
#[cfg(feature = "german")]
mod german;
#[cfg(feature = "japanese")]
mod japanese;
#[cfg(feature = "portuguese")]
mod portuguese;
mod reasons;
#[cfg(feature = "spanish")]
mod spanish;

use std::borrow::Cow;

use assistant_core::session::Refusal;

pub(crate) type Word = Cow<'static, str>;

/// A selector of a label, for texts that follow the current language.
pub(crate) type WordOf = fn(&Labels) -> &Word;

/// Declares the labels, and the list of their texts.
macro_rules! labels {
    (
        $(#[$attribute:meta])*
        pub struct Labels { $($(#[$doc:meta])* pub $name:ident: Word,)* }
        $(#[$reasons_doc:meta])*
        reasons: $reasons:ty
    ) => {
        $(#[$attribute])*
        pub struct Labels {
            $($(#[$doc])* pub $name: Word,)*
            $(#[$reasons_doc])*
            pub reasons: $reasons,
        }

        impl Labels {
            /// The names of the texts, in the order of [`Self::texts`].
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// Returns all texts, for catalogs, except for [`Self::reasons`].
            ///
            /// ```
            /// use leptos_assistant::Labels;
            ///
            /// let labels = Labels::default();
            /// let send = Labels::NAMES.iter().position(|name| *name == "send");
            /// assert_eq!(send.map(|at| labels.texts()[at].as_ref()), Some("Send"));
            /// ```
            #[must_use]
            pub fn texts(&self) -> Vec<&Word> {
                vec![$(&self.$name),*]
            }

            /// Returns mutable references to all texts, in the order of [`Self::NAMES`].
            ///
            /// ```
            /// use leptos_assistant::Labels;
            ///
            /// let mut labels = Labels::default();
            /// for (name, text) in Labels::NAMES.iter().zip(labels.texts_mut()) {
            ///     if *name == "send" {
            ///         *text = "Senden".into();
            ///     }
            /// }
            /// assert_eq!(labels.send, "Senden");
            /// ```
            #[must_use]
            pub fn texts_mut(&mut self) -> Vec<&mut Word> {
                vec![$(&mut self.$name),*]
            }
        }
    };
}

labels! {
/// The texts of the components, with placeholders in braces, such as `{count}` for a number.
/// Provide other texts with [`provide_labels`](crate::provide_labels).
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after its English word or place")]
pub struct Labels {
    pub title: Word,
    /// The greeting of the custom element before the first message.
    pub greeting: Word,
    pub new_conversation: Word,
    /// The announcement of a new conversation, and of the return to the previous one.
    pub conversation_begun: Word,
    pub conversation_back: Word,
    pub conversation: Word,
    pub ready: Word,
    pub working: Word,
    pub waiting: Word,
    pub failed: Word,
    pub message: Word,
    pub placeholder: Word,
    pub hint: Word,
    pub busy_hint: Word,
    pub queue_hint: Word,
    pub approvals_hint: Word,
    pub questions_hint: Word,
    pub send: Word,
    pub stop: Word,
    pub you: Word,
    pub assistant: Word,
    pub jump: Word,
    pub new_message: Word,
    pub new_messages: Word,
    pub show_all: Word,
    pub today: Word,
    pub yesterday: Word,
    pub message_actions: Word,
    pub good_answer: Word,
    pub bad_answer: Word,
    pub tool_calls: Word,
    pub one_tool_call: Word,
    pub tokens: Word,
    pub input_tokens: Word,
    pub output_tokens: Word,
    pub seconds: Word,
    pub minutes: Word,
    pub hours: Word,
    pub took: Word,
    /// The duration of an answer: `{time}` without the time spent waiting for the user, and
    /// `{waited}`, that time.
    pub took_waiting: Word,
    pub thinking: Word,
    pub reasoning: Word,
    pub approve: Word,
    pub deny: Word,
    /// The button of the composer that denies the open request with the text as the reason.
    pub deny_with_text: Word,
    pub approve_all: Word,
    pub deny_all: Word,
    /// The button that denies all open questions and stops the assistant.
    pub deny_all_and_stop: Word,
    /// The line about one or more questions that were held back.
    pub held_back: Word,
    pub show_held_back: Word,
    /// The mark on a call that was denied because the user denied an equal call before.
    pub denied_before: Word,
    pub several_questions: Word,
    pub back: Word,
    pub title_asks: Word,
    pub be_careful: Word,
    pub reason: Word,
    pub confirm: Word,
    pub cancel: Word,
    pub retry: Word,
    /// The announcement after the user pressed Retry.
    pub retrying: Word,
    pub loading: Word,
    pub not_loaded: Word,
    pub continue_: Word,
    pub dismiss: Word,
    pub agent_failed: Word,
    pub unreadable: Word,
    pub details: Word,
    pub not_allowed: Word,
    pub not_there: Word,
    pub too_busy: Word,
    pub too_busy_for: Word,
    pub server_failed: Word,
    pub arguments: Word,
    pub result: Word,
    pub error: Word,
    pub preparing: Word,
    pub queued: Word,
    pub approved: Word,
    pub running: Word,
    pub done: Word,
    pub call_failed: Word,
    pub denied: Word,
    pub cancelled: Word,
    pub skipped: Word,
    pub render_failed: Word,
    pub gone: Word,
    pub stuck: Word,
    pub expand_all: Word,
    pub submit: Word,
    pub edit: Word,
    pub json: Word,
    pub answer: Word,
    pub yes: Word,
    pub no: Word,
    pub required: Word,
    /// The request for a missing value: `{field}` is the label of the field, `{name}` the label in
    /// the form used inside of an English sentence.
    pub enter_field: Word,
    pub no_number: Word,
    pub no_json: Word,
    pub collapse_all: Word,
    pub suggestions: Word,
    pub more_suggestions: Word,
    pub unknown_part: Word,
    pub file: Word,
    pub approval_asked: Word,
    pub question_asked: Word,
    pub answer_by: Word,
    pub stopped: Word,
    pub stopped_text: Word,
    pub reload: Word,
    pub too_late: Word,
    pub place: Word,
    pub answered: Word,
    pub answer_finished: Word,
    pub tool_failed: Word,
    pub still_working: Word,
    pub speech_goes_on: Word,
    pub speech_code: Word,
    pub thought_for: Word,
    pub thought_briefly: Word,
    pub sources: Word,
    pub step_unfinished: Word,
    pub notice_unreachable: Word,
    pub notice_offline: Word,
    pub notice_not_sent: Word,
    pub notice_broken_off: Word,
    pub notice_silent: Word,
    pub notice_cancelled: Word,
    pub notice_stopped: Word,
    pub notice_run_limit: Word,
    pub notice_run_limit_one: Word,
    pub notice_no_answer: Word,
    pub already_decided: Word,
    pub no_edits: Word,
    pub not_remembered: Word,
    pub unclean: Word,
    /// The button beside Approve that opens the choice of how long an approval applies.
    pub allow_longer: Word,
    pub allow_for: Word,
    pub allow_once: Word,
    pub allow_conversation: Word,
    pub allow_session: Word,
    pub allow_always: Word,
    pub allow_other: Word,
    pub allow_other_fields: Word,
    pub allowed_earlier: Word,
    pub allowed_title: Word,
    pub allowed_none: Word,
    pub allowed_any: Word,
    pub allowed_fields: Word,
    pub allowed_exactly: Word,
    pub revoke: Word,
    pub close: Word,
    /// The labels of the fields that narrow an approval for later calls.
    pub bound_uses: Word,
    pub bound_lasts: Word,
    pub bound_maximum: Word,
    /// The remaining bounds in the list of approvals.
    pub uses_left: Word,
    pub holds_until: Word,
    pub up_to: Word,
    pub used_up: Word,
    pub expired: Word,
    pub preview: Word,
    pub preview_awaited: Word,
    pub preview_failed: Word,
    pub preview_checked: Word,
    pub cut_stopped: Word,
    pub cut_cancelled: Word,
    pub cut_failed: Word,
    pub cut_broken_off: Word,
    /// The mark on a message of the user whose answer failed before it began.
    pub cut_unanswered: Word,
    pub image: Word,
    pub audio: Word,
    pub video: Word,
    pub open_file: Word,
    pub save_file: Word,
    pub attach: Word,
    pub attached: Word,
    pub remove: Word,
    pub drop_here: Word,
    pub reading: Word,
    pub too_many_files: Word,
    pub file_too_large: Word,
    pub file_type_refused: Word,
    pub file_unreadable: Word,
    pub files_not_ready: Word,
    pub files_failed: Word,
    pub copy: Word,
    pub copied: Word,
    pub copy_failed: Word,
    pub table: Word,
    pub footnote: Word,
    pub image_not_shown: Word,
    pub task_done: Word,
    pub task_open: Word,
    pub alert_note: Word,
    pub alert_tip: Word,
    pub alert_important: Word,
    pub alert_warning: Word,
    pub alert_caution: Word,
    pub agent_asks: Word,
    pub give_up: Word,
    /// The heading of the `{count}` actions that an agent asks about.
    pub decide_each: Word,
    pub no_arguments: Word,
    /// The decision that the action does not run, and the user's text is its result.
    pub respond_instead: Word,
    pub send_decisions: Word,
    pub decisions_missing: Word,
    pub decision_not_taken: Word,
    pub answer_again: Word,
    pub answer_rejected: Word,
    pub in_detail: Word,
    pub auto_deny_hint: Word,
    pub message_queued: Word,
    pub send_results: Word,
    pub notice_loop_ended: Word,
    pub notice_cancelled_request: Word,
    pub notice_call_id_reused: Word,
    pub notice_questions_held_back: Word,
    /// The notice that the agent has lost messages of the user, which are kept on another branch.
    pub notice_forgotten: Word,
    pub send_again: Word,
    pub notice_too_large: Word,
    /// The exceeded limit of a notice: a response larger than `{limit}`.
    pub limit_response: Word,
    /// The exceeded limit of a notice: a single event larger than `{limit}`.
    pub limit_event: Word,
    /// The exceeded limit of a notice: more than `{limit}` texts at once.
    pub limit_streams: Word,
    /// The exceeded limit of a notice: a message longer than `{limit}`.
    pub limit_message: Word,
    /// The exceeded limit of a notice: a result of a step longer than `{limit}`.
    pub limit_result: Word,
    /// The exceeded limit of a notice: arguments larger than `{limit}`.
    pub limit_arguments: Word,
    /// The exceeded limit of a notice: an id or a name longer than `{limit}`.
    pub limit_name: Word,
    /// The exceeded limit of a notice: more than `{limit}` messages.
    pub limit_messages: Word,
    /// The exceeded limit of a notice: more than `{limit}` steps.
    pub limit_calls: Word,
    /// The exceeded limit of a notice: more than `{limit}` questions.
    pub limit_interrupts: Word,
    /// The button that shows the last `{count}` hidden items of a long list.
    pub show_more: Word,
    /// The button that shows `{count}` of `{total}` hidden items of a long list.
    pub show_more_of: Word,
    /// The amount `{amount}` that was dropped because of a limit.
    pub limit_left_out: Word,
    pub notice_results_ready: Word,
    pub page_will_run: Word,
    pub agent_will_run: Word,
    pub agent_asks_call: Word,
    pub agent_says: Word,
    pub all_of_it: Word,
    pub changed: Word,
    /// The note on a request whose arguments the user has changed.
    pub changed_by_you: Word,
    /// The button that shows the preview of changed arguments.
    pub review: Word,
    pub read_to_end: Word,
    /// The request to continue reading in a form, whose button is not named Approve.
    pub read_to_answer: Word,
    pub covered: Word,
    pub show_on_top: Word,
    pub request_on_top: Word,
    pub back_to_chat: Word,
    pub press_yourself: Word,
    pub exact_arguments: Word,
    /// The fold with the details of a request.
    pub more: Word,
    pub not_mentioned: Word,
    pub asked_for: Word,
    pub reported: Word,
    pub disputed: Word,
    pub attributed: Word,
    pub agents_version: Word,
    pub unread: Word,
    pub page_asks: Word,
    pub asked_in_window: Word,
    pub asked_in_another_window: Word,
    pub ask_here: Word,
    pub versions: Word,
    pub version: Word,
    pub version_place: Word,
    pub previous_version: Word,
    pub next_version: Word,
    pub edit_message: Word,
    pub your_message: Word,
    pub regenerate: Word,
    pub interject: Word,
    pub interjected: Word,
    pub elsewhere: Word,
    pub elsewhere_waiting: Word,
    pub elsewhere_hint: Word,
    pub show_elsewhere: Word,
    pub branches: Word,
    pub on_shown_branch: Word,
    pub show_branch: Word,
    pub delete: Word,
    pub delete_title: Word,
    pub delete_one: Word,
    pub delete_text: Word,
    pub deleted_one: Word,
    pub deleted_many: Word,
    pub no_branches: Word,
    pub draw_tree: Word,
    pub fit_tree: Word,
    pub zoom_in: Word,
    pub zoom_out: Word,
    pub open_elsewhere: Word,
    pub use_here: Word,
    pub notice_not_stored: Word,
    pub notice_not_opened: Word,
    pub may_have_run: Word,
    pub run_again: Word,
    pub skip: Word,
    pub past_conversations: Word,
    pub no_conversations: Word,
    pub search_conversations: Word,
    pub no_match: Word,
    pub untitled: Word,
    pub rename: Word,
    pub deleted: Word,
    pub undo: Word,
    pub save: Word,
    pub title_of: Word,
}
/// Replacements for the English sentences about invalid values and failed calls. The key is the
/// violated JSON Schema keyword (`minimum`, `maxLength`, `enum`, …, for `type` the name of the
/// expected type), or [`ErrorKind::as_str`](assistant_core::conversation::ErrorKind::as_str), or
/// `denied`, `cancelled`, `skipped`. `{limit}` is the value of the keyword. The default has texts
/// for `integer` and `pattern`, which a custom list replaces. Without a text for `required`, the
/// label `required` is used.
reasons: Cow<'static, [(&'static str, Word)]>
}

impl Labels {
    /// Returns the label for a refusal, for the user whose request was refused.
    pub(crate) fn refusal(refusal: &Refusal) -> WordOf {
        match refusal {
            Refusal::Busy => |l| &l.busy_hint,
            Refusal::ApprovalsPending => |l| &l.approvals_hint,
            Refusal::InterruptsPending => |l| &l.questions_hint,
            Refusal::AlreadyResolved => |l| &l.already_decided,
            Refusal::Expired => |l| &l.too_late,
            Refusal::NoEdits => |l| &l.no_edits,
            Refusal::NotRemembered => |l| &l.not_remembered,
            Refusal::Unclean => |l| &l.unclean,
            Refusal::Changed => |l| &l.changed,
            Refusal::TooEarly => |l| &l.read_to_end,
            Refusal::Scripted | Refusal::OnlyUser => |l| &l.press_yourself,
            Refusal::EachAction { .. } => |l| &l.decisions_missing,
            Refusal::DecisionNotAllowed { .. } => |l| &l.decision_not_taken,
            Refusal::Elsewhere => |l| &l.open_elsewhere,
            // The others are for programs.
            _ => |l| &l.failed,
        }
    }
}
