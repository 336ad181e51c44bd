//! Every word that the components show, replaceable for another language.

use std::{borrow::Cow, sync::Arc};

use assistant_core::session::Refusal;
use leptos::prelude::*;

type Word = Cow<'static, str>;

/// The words that the components show; what stands in braces is put in, `{count}` for a number.
/// Provide another set by context to translate them:
/// `provide_context(Arc::new(Labels { send: "Senden".into(), ..Labels::default() }))`.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "each is named after its English word or place")]
pub struct Labels {
    pub title: Word,
    pub new_conversation: Word,
    pub conversation: Word,
    pub ready: Word,
    pub working: Word,
    pub waiting: Word,
    pub failed: Word,
    pub message: Word,
    pub placeholder: Word,
    pub hint: Word,
    pub busy_hint: Word,
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
    pub tokens: Word,
    pub input_tokens: Word,
    pub output_tokens: Word,
    pub seconds: Word,
    pub minutes: Word,
    pub thinking: Word,
    pub reasoning: Word,
    pub approve: Word,
    pub deny: Word,
    pub reason: Word,
    pub confirm: Word,
    pub cancel: Word,
    pub retry: Word,
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
    pub no_number: Word,
    pub no_json: Word,
    pub collapse_all: Word,
    pub suggestions: Word,
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
    pub thought_for: Word,
    pub thought_briefly: Word,
    pub sources: Word,
    pub steps: Word,
    pub step_unfinished: Word,
    pub notice_unreachable: Word,
    pub notice_broken_off: Word,
    pub notice_silent: Word,
    pub notice_cancelled: Word,
    pub notice_stopped: Word,
    pub notice_step_limit: Word,
    pub notice_no_answer: Word,
    pub already_decided: Word,
    pub no_edits: Word,
    pub cut_stopped: Word,
    pub cut_cancelled: Word,
    pub cut_failed: Word,
    pub cut_broken_off: Word,
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
    pub page_will_run: Word,
    pub agent_will_run: Word,
    pub agent_asks: Word,
    pub agent_says: Word,
    pub all_of_it: Word,
    pub changed: Word,
    pub read_to_end: Word,
    pub exact_arguments: Word,
    pub asked_for: Word,
    pub reported: Word,
    pub disputed: Word,
    pub agents_version: Word,
    /// What stands there instead of the English sentence about a value that does not fit its form,
    /// or about a call that could not run. Each goes by its kind: the keyword of JSON Schema that
    /// is not met (`minimum`, `maxLength`, `enum`, …, for `type` the name of the type that is
    /// asked for), or [`ErrorKind::as_str`](assistant_core::conversation::ErrorKind::as_str), or
    /// `denied`, `cancelled`, `skipped`. `{limit}` stands for what the schema says there. There are
    /// words for `integer` and `pattern`, and a list of yours takes their place; `required` has the
    /// word of that name if it is not in the list.
    pub reasons: Cow<'static, [(&'static str, Word)]>,
}

/// What people understand better than the words for a model.
const REASONS: &[(&str, Word)] = &[
    ("integer", Cow::Borrowed("must be a whole number")),
    (
        "pattern",
        Cow::Borrowed("is not in the form that is asked for"),
    ),
];

impl Default for Labels {
    fn default() -> Self {
        Self {
            title: "Assistant".into(),
            new_conversation: "New conversation".into(),
            conversation: "Conversation".into(),
            ready: "Ready".into(),
            working: "Working".into(),
            waiting: "Waiting for you".into(),
            failed: "Something went wrong".into(),
            message: "Message".into(),
            placeholder: "Ask or tell the assistant…".into(),
            hint: "Enter sends, Shift+Enter starts a new line.".into(),
            busy_hint: "The assistant is at work. Your text stays here.".into(),
            questions_hint: "Answer what the assistant asks first.".into(),
            approvals_hint: "Approve or deny the open request first.".into(),
            send: "Send".into(),
            stop: "Stop".into(),
            you: "You".into(),
            assistant: "Assistant".into(),
            jump: "Jump to latest".into(),
            new_message: "1 new message".into(),
            new_messages: "{count} new messages".into(),
            show_all: "Show all {count} messages".into(),
            today: "Today".into(),
            yesterday: "Yesterday".into(),
            message_actions: "Message actions".into(),
            good_answer: "Good answer".into(),
            bad_answer: "Bad answer".into(),
            tool_calls: "{count} tool calls".into(),
            tokens: "{count} tokens".into(),
            input_tokens: "{count} input tokens".into(),
            output_tokens: "{count} output tokens".into(),
            seconds: "{count} s".into(),
            minutes: "{count} min".into(),
            thinking: "Thinking…".into(),
            reasoning: "Reasoning".into(),
            approve: "Approve".into(),
            deny: "Deny".into(),
            reason: "Reason (optional)".into(),
            confirm: "Confirm".into(),
            cancel: "Cancel".into(),
            retry: "Retry".into(),
            continue_: "Continue".into(),
            dismiss: "Dismiss".into(),
            agent_failed: "The agent answered with an error".into(),
            details: "Details".into(),
            not_allowed: "It does not let you in. You may have to sign in again.".into(),
            not_there: "There is no agent at its address.".into(),
            too_busy: "It is busy or cannot be reached. Try again in a moment.".into(),
            too_busy_for: "It is busy. Try again in {seconds} s.".into(),
            server_failed: "Something is wrong with it. Try again in a moment.".into(),
            unreadable: "The answer could not be read".into(),
            arguments: "Arguments".into(),
            result: "Result".into(),
            error: "Error".into(),
            preparing: "Preparing".into(),
            queued: "Ready".into(),
            approved: "Approved".into(),
            running: "Running".into(),
            done: "Done".into(),
            call_failed: "Failed".into(),
            denied: "Denied".into(),
            cancelled: "Cancelled".into(),
            skipped: "Skipped".into(),
            gone: "This action is no longer on the page. Deny it, or bring its place back.".into(),
            stuck: "This takes longer than usual. You can stop it.".into(),
            render_failed: "This card could not be shown.".into(),
            submit: "Submit".into(),
            edit: "Edit arguments".into(),
            json: "Answer as JSON".into(),
            answer: "Your answer".into(),
            yes: "Yes".into(),
            no: "No".into(),
            required: "please fill this in".into(),
            no_number: "must be a number".into(),
            no_json: "this is no JSON (at {place})".into(),
            expand_all: "Show all details".into(),
            collapse_all: "Hide all details".into(),
            suggestions: "Suggestions".into(),
            unknown_part: "Something that this chat cannot show".into(),
            file: "File".into(),
            approval_asked: "The assistant asks for your approval.".into(),
            question_asked: "The assistant asks you something.".into(),
            stopped: "The chat has stopped".into(),
            stopped_text: "Something went wrong on this page. Load it again to go on.".into(),
            reload: "Reload the page".into(),
            answer_by: "Answer by {time}.".into(),
            too_late: "The time to answer is over. You can only give it up.".into(),
            place: "{number} of {count}".into(),
            answered: "{number} of {count} answered. The assistant goes on when all are.".into(),
            answer_finished: "The assistant has answered.".into(),
            thought_for: "Thought for {time}".into(),
            thought_briefly: "Thought for a moment".into(),
            sources: "Sources".into(),
            steps: "Steps".into(),
            step_unfinished: "Not finished".into(),
            notice_unreachable: "The agent could not be reached.".into(),
            notice_broken_off: "The answer broke off before it was complete.".into(),
            notice_silent: "The agent sent no answer.".into(),
            notice_cancelled: "The assistant stopped.".into(),
            notice_stopped: "You stopped the assistant.".into(),
            notice_step_limit:
                "Exceeded maximum tool iterations ({count}). The results are ready to go.".into(),
            notice_no_answer: "The assistant ended without an answer.".into(),
            already_decided: "This was decided before.".into(),
            no_edits: "The arguments of this call cannot be changed.".into(),
            cut_stopped: "Stopped".into(),
            cut_cancelled: "The assistant stopped here".into(),
            cut_failed: "An error ended this answer".into(),
            cut_broken_off: "This answer broke off".into(),
            image: "Image".into(),
            audio: "Audio".into(),
            video: "Video".into(),
            open_file: "Open".into(),
            save_file: "Save".into(),
            attach: "Attach files".into(),
            attached: "Attached files".into(),
            remove: "Remove".into(),
            drop_here: "Drop files here".into(),
            reading: "Reading…".into(),
            too_many_files: "{name}: no more than {limit} files at a time".into(),
            file_too_large: "{name}: larger than {limit}".into(),
            file_type_refused: "{name}: files of this type are not accepted".into(),
            file_unreadable: "{name}: this file could not be read".into(),
            files_not_ready: "The files are not ready yet.".into(),
            files_failed: "Remove the files that could not be read first.".into(),
            copy: "Copy".into(),
            copied: "Copied".into(),
            copy_failed: "Could not copy".into(),
            table: "Table".into(),
            footnote: "Footnote".into(),
            image_not_shown: "Image not shown".into(),
            task_done: "Done".into(),
            task_open: "Open".into(),
            alert_note: "Note".into(),
            alert_tip: "Tip".into(),
            alert_important: "Important".into(),
            alert_warning: "Warning".into(),
            alert_caution: "Caution".into(),
            page_will_run: "This page will run".into(),
            agent_will_run: "With your approval, the agent will run".into(),
            agent_asks: "The agent asks to go on with".into(),
            agent_says: "The agent says:".into(),
            all_of_it: "Show the rest".into(),
            changed: "This call has changed since it was shown.".into(),
            read_to_end: "Read the arguments to their end, then approve.".into(),
            exact_arguments: "Exact arguments".into(),
            asked_for: "The agent had asked for:".into(),
            reported: "Reported by the agent".into(),
            disputed: "The agent's record of this message differs".into(),
            agents_version: "The agent's version".into(),
            reasons: Cow::Borrowed(REASONS),
        }
    }
}

impl Labels {
    /// The words in force here.
    #[must_use]
    pub fn current() -> Arc<Self> {
        use_context::<Arc<Self>>().unwrap_or_default()
    }

    /// Why something was not done, to the person who asked for it.
    pub(crate) fn refusal(&self, refusal: &Refusal) -> String {
        let word = match refusal {
            Refusal::Busy => &self.busy_hint,
            Refusal::ApprovalsPending => &self.approvals_hint,
            Refusal::InterruptsPending => &self.questions_hint,
            Refusal::AlreadyResolved => &self.already_decided,
            Refusal::Expired => &self.too_late,
            Refusal::NoEdits => &self.no_edits,
            Refusal::Changed => &self.changed,
            // The others are told to programs.
            _ => &self.failed,
        };
        word.to_string()
    }

    /// Why something failed, by its kind, else as a program says it.
    pub(crate) fn reason(&self, kind: &str, limit: &str, message: &str) -> String {
        let word = |kind: &str| self.reasons.iter().find(|(of, _)| *of == kind);
        let of_type = (kind == "type").then(|| word(limit)).flatten();
        match of_type.or_else(|| word(kind)) {
            Some((_, word)) => word.replace("{limit}", limit),
            None if kind == "required" => self.required.to_string(),
            None => message.to_owned(),
        }
    }
}

/// A word with a number in the place of its `{count}`.
pub(super) fn with_count(word: &str, count: usize) -> String {
    with_text(word, &count.to_string())
}

/// A word with something in the place of its `{count}`.
pub(super) fn with_text(word: &str, count: &str) -> String {
    word.replace("{count}", count)
}

/// The word for one, or the word for several.
pub(super) fn counted(one: &Word, several: &Word, count: usize) -> Word {
    if count == 1 {
        one.clone()
    } else {
        with_count(several, count).into()
    }
}
