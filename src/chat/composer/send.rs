//! Sending what is written.

use assistant_core::{event::Content, session::Refusal};
use leptos::prelude::*;

use super::context::{ComposerContext, is_asked};
use crate::{
    assistant::Assistant,
    ui::{Labels, WordOf},
};

impl ComposerContext {
    /// Sends what is written and attached.
    pub(super) fn send(&self) {
        self.refused
            .set(written(self, Assistant::send_content).err());
    }

    /// Says what is written in between.
    pub(super) fn interject(&self) {
        self.refused
            .set(written(self, Assistant::interject_content).err());
    }
}

/// Sends what is written and attached, if anything is. What is refused stays; the reason comes back.
fn written(
    writing: &ComposerContext,
    say: fn(&Assistant, Content) -> Result<(), Refusal>,
) -> Result<(), WordOf> {
    let (assistant, tray) = (&writing.assistant, writing.tray.as_ref());
    let text = writing.handle.written();
    let text = text.trim_end();
    let content = match tray {
        Some(tray) => tray.content(text)?,
        None => (!text.trim().is_empty()).then(|| Content::Text(text.to_owned())),
    };
    let Some(content) = content else {
        return Ok(());
    };
    let sent = say(assistant, content);
    sent.map_err(|refusal| -> WordOf {
        // An approval card asks for another thing than a question does.
        let asks = assistant.interrupts();
        let asks = asks.with_untracked(|list| list.iter().any(is_asked));
        match refusal {
            Refusal::InterruptsPending if !asks => |l| &l.approvals_hint,
            refusal => Labels::refusal(&refusal),
        }
    })?;
    writing.handle.set_text("");
    if let Some(tray) = tray {
        tray.clear();
    }
    Ok(())
}
