//! Sends the text and the attachments of a composer.

use assistant_core::{event::Content, session::Refusal};
use leptos::prelude::*;

use super::context::{ComposerContext, is_open_question};
use crate::{
    assistant::Assistant,
    ui::{LabelName, Labels},
};

/// A function that passes a message to the assistant.
type DeliverFn = fn(&Assistant, Content) -> Result<(), Refusal>;

impl ComposerContext {
    /// Sends the text and the attachments, or queues both during a run that accepts interjections.
    /// Shows the reason if the message is refused, and otherwise clears an earlier reason.
    pub(super) fn send(&self) {
        let deliver: DeliverFn = match self.would_interject.get_untracked() {
            true => |assistant: &Assistant, content| assistant.interject(content),
            false => |assistant: &Assistant, content| assistant.send(content),
        };
        self.refusal.set(deliver_draft(self, deliver).err());
    }
}

/// Delivers the text and the attachments, and clears both. If the message is refused, the text and
/// the attachments stay, and the reason is returned. Does nothing if there is nothing to send.
fn deliver_draft(composer: &ComposerContext, deliver: DeliverFn) -> Result<(), LabelName> {
    let (assistant, tray) = (&composer.assistant, composer.tray.as_ref());
    let text = composer.handle.current_text();
    let text = text.trim_end();
    let content = match tray {
        Some(tray) => tray.content(text)?,
        None => (!text.trim().is_empty()).then(|| Content::Text(text.to_owned())),
    };
    let Some(content) = content else {
        return Ok(());
    };
    let result = deliver(assistant, content);
    result.map_err(|refusal| -> LabelName {
        // The hint for approvals is used if no question is open, because the session refuses the
        // message with the same reason for questions and approvals.
        let interrupts = assistant.interrupts();
        let has_question = interrupts.with_untracked(|list| list.iter().any(is_open_question));
        match refusal {
            Refusal::InterruptsPending if !has_question => LabelName::ApprovalsHint,
            refusal => Labels::refusal(&refusal),
        }
    })?;
    composer.clear_text();
    if let Some(tray) = tray {
        tray.clear();
    }
    Ok(())
}
