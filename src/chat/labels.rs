//! Every word that the components show, replaceable for another language.

use std::{borrow::Cow, sync::Arc};

use leptos::prelude::*;

type Word = Cow<'static, str>;

/// The words that the components show. Provide another set by context to translate them:
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
    pub thinking: Word,
    pub reasoning: Word,
    pub approve: Word,
    pub deny: Word,
    pub approve_question: Word,
    pub reason: Word,
    pub confirm: Word,
    pub cancel: Word,
    pub retry: Word,
    pub continue_: Word,
    pub dismiss: Word,
    pub agent_failed: Word,
    pub unreadable: Word,
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
    pub collapse_all: Word,
    pub suggestions: Word,
    pub unknown_part: Word,
    pub file: Word,
    pub approval_asked: Word,
    pub answer_finished: Word,
}

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
            thinking: "Thinking…".into(),
            reasoning: "Reasoning".into(),
            approve: "Approve".into(),
            deny: "Deny".into(),
            approve_question: "Approve".into(),
            reason: "Reason (optional)".into(),
            confirm: "Confirm".into(),
            cancel: "Cancel".into(),
            retry: "Retry".into(),
            continue_: "Continue".into(),
            dismiss: "Dismiss".into(),
            agent_failed: "The agent answered with an error".into(),
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
            expand_all: "Show all details".into(),
            collapse_all: "Hide all details".into(),
            suggestions: "Suggestions".into(),
            unknown_part: "Something that this chat cannot show".into(),
            file: "File".into(),
            approval_asked: "The assistant asks for your approval.".into(),
            answer_finished: "The assistant has answered.".into(),
        }
    }
}

impl Labels {
    /// The words in force here.
    #[must_use]
    pub fn current() -> Arc<Self> {
        use_context::<Arc<Self>>().unwrap_or_default()
    }
}
