//! A server's rewrites of the history that it sends back.

use assistant_core::event::{Content, FunctionCall, Message, MessageBody};
use proptest::prelude::*;

use super::{
    act::{Args, args},
    world::NAMES,
};

/// A rewrite of the list. Numbers select among the existing items.
#[derive(Debug, Clone)]
pub(super) enum Rewrite {
    Drop(u8),
    Move(u8, u8),
    ReId(u8),
    /// Moves a call from its message to another.
    MoveCall(u8, u8),
    /// Moves a call from its message to a new one.
    ExtractCall(u8),
    Split(u8),
    Merge(u8),
    Rename(u8, u8),
    ReArgs(u8, Args),
    DropCall(u8),
    RepeatCall(u8, u8),
    AddCall(u8, u8, Args),
    AddMessage(u8, u8, Args),
    AddTool(u8),
    DropTool(u8),
    OtherResult(u8),
    OtherText(u8),
    /// Lists a message of another branch.
    Foreign(u8),
}

pub(super) fn rewrite() -> impl Strategy<Value = Rewrite> {
    let n = || any::<u8>();
    prop_oneof![
        n().prop_map(Rewrite::Drop),
        (n(), n()).prop_map(|(a, b)| Rewrite::Move(a, b)),
        n().prop_map(Rewrite::ReId),
        (n(), n()).prop_map(|(a, b)| Rewrite::MoveCall(a, b)),
        n().prop_map(Rewrite::ExtractCall),
        n().prop_map(Rewrite::Split),
        n().prop_map(Rewrite::Merge),
        (n(), n()).prop_map(|(a, b)| Rewrite::Rename(a, b)),
        (n(), args()).prop_map(|(a, b)| Rewrite::ReArgs(a, b)),
        n().prop_map(Rewrite::DropCall),
        (n(), n()).prop_map(|(a, b)| Rewrite::RepeatCall(a, b)),
        (n(), n(), args()).prop_map(|(a, b, c)| Rewrite::AddCall(a, b, c)),
        (n(), n(), args()).prop_map(|(a, b, c)| Rewrite::AddMessage(a, b, c)),
        n().prop_map(Rewrite::AddTool),
        n().prop_map(Rewrite::DropTool),
        n().prop_map(Rewrite::OtherResult),
        n().prop_map(Rewrite::OtherText),
        n().prop_map(Rewrite::Foreign),
    ]
}

/// A list being rewritten; new ids are counted.
pub(super) struct List<'a> {
    pub(super) messages: Vec<Message>,
    /// The messages of other branches.
    pub(super) foreign: Vec<Message>,
    pub(super) fresh: &'a mut usize,
}

impl List<'_> {
    fn fresh(&mut self, kind: &str) -> String {
        *self.fresh += 1;
        format!("{kind}{}", self.fresh)
    }

    fn place(&self, pick: u8) -> Option<usize> {
        usize::from(pick).checked_rem(self.messages.len())
    }

    /// Returns the indices of the messages with calls, each with the index of one of its calls.
    fn call(&self, pick: u8) -> Option<(usize, usize)> {
        let mut all = Vec::new();
        for (place, message) in self.messages.iter().enumerate() {
            if let MessageBody::Assistant { tool_calls, .. } = &message.body {
                all.extend((0..tool_calls.len()).map(|call| (place, call)));
            }
        }
        let pick = usize::from(pick).checked_rem(all.len())?;
        all.get(all.len() - 1 - pick).copied()
    }

    fn calls_of(&mut self, place: usize) -> Option<&mut Vec<FunctionCall>> {
        match &mut self.messages.get_mut(place)?.body {
            MessageBody::Assistant { tool_calls, .. } => Some(tool_calls),
            _ => None,
        }
    }

    fn assistant(&self, pick: u8) -> Option<usize> {
        let is_it = |m: &Message| matches!(m.body, MessageBody::Assistant { .. });
        let mut all: Vec<usize> = (0..self.messages.len()).collect();
        all.retain(|place| is_it(&self.messages[*place]));
        let pick = usize::from(pick).checked_rem(all.len())?;
        all.get(all.len() - 1 - pick).copied()
    }

    fn tool(&self, pick: u8) -> Option<usize> {
        let is_it = |m: &Message| matches!(m.body, MessageBody::Tool { .. });
        let mut all: Vec<usize> = (0..self.messages.len()).collect();
        all.retain(|place| is_it(&self.messages[*place]));
        all.get(usize::from(pick).checked_rem(all.len())?).copied()
    }

    pub(super) fn apply(&mut self, rewrite: &Rewrite) -> Option<()> {
        match *rewrite {
            Rewrite::Drop(a) => drop(self.messages.remove(self.place(a)?)),
            Rewrite::Move(a, b) => {
                let message = self.messages.remove(self.place(a)?);
                let place = usize::from(b) % (self.messages.len() + 1);
                self.messages.insert(place, message);
            }
            Rewrite::ReId(a) => {
                let place = self.place(a)?;
                self.messages[place].id = self.fresh("s");
            }
            Rewrite::MoveCall(a, b) => {
                let (from, call) = self.call(a)?;
                let to = self.assistant(b)?;
                let call = self.calls_of(from)?.remove(call);
                self.calls_of(to)?.push(call);
            }
            Rewrite::ExtractCall(a) => {
                let (from, call) = self.call(a)?;
                let call = self.calls_of(from)?.remove(call);
                let message = assistant(self.fresh("s"), vec![call]);
                self.messages.insert(from + 1, message);
            }
            Rewrite::Split(a) => {
                let place = self.assistant(a)?;
                let calls = self.calls_of(place)?;
                let half = calls.split_off(calls.len() / 2);
                let message = assistant(self.fresh("s"), half);
                self.messages.insert(place + 1, message);
            }
            Rewrite::Merge(a) => {
                let place = self.assistant(a)?;
                let calls = std::mem::take(self.calls_of(place)?);
                self.messages.remove(place);
                let to = self.assistant(a)?;
                self.calls_of(to)?.extend(calls);
            }
            Rewrite::Rename(a, b) => {
                let (place, call) = self.call(a)?;
                let name = NAMES[usize::from(b) % NAMES.len()];
                name.clone_into(&mut self.calls_of(place)?[call].name);
            }
            Rewrite::ReArgs(a, args) => {
                let (place, call) = self.call(a)?;
                args.text()
                    .clone_into(&mut self.calls_of(place)?[call].arguments);
            }
            Rewrite::DropCall(a) => {
                let (place, call) = self.call(a)?;
                self.calls_of(place)?.remove(call);
            }
            Rewrite::RepeatCall(a, b) => {
                let (place, call) = self.call(a)?;
                let call = self.calls_of(place)?[call].clone();
                let to = self.assistant(b)?;
                self.calls_of(to)?.push(call);
            }
            Rewrite::AddCall(a, b, args) => {
                let to = self.assistant(a)?;
                let call = self.invented_call(b, args);
                self.calls_of(to)?.push(call);
            }
            Rewrite::AddMessage(a, b, args) => {
                let place = usize::from(a) % (self.messages.len() + 1);
                let call = self.invented_call(b, args);
                let message = assistant(self.fresh("s"), vec![call]);
                self.messages.insert(place, message);
            }
            Rewrite::AddTool(a) => {
                let (place, call) = self.call(a)?;
                let id = self.calls_of(place)?[call].id.clone();
                let message = tool(self.fresh("t"), id);
                self.messages.insert(place + 1, message);
            }
            Rewrite::DropTool(a) => drop(self.messages.remove(self.tool(a)?)),
            Rewrite::OtherResult(a) => {
                let place = self.tool(a)?;
                if let MessageBody::Tool { content, .. } = &mut self.messages[place].body {
                    *content = Content::Text("rewritten".to_owned());
                }
            }
            Rewrite::OtherText(a) => {
                let place = self.place(a)?;
                match &mut self.messages[place].body {
                    MessageBody::Assistant { content, .. } => *content = Some("other".to_owned()),
                    MessageBody::User { content } => *content = Content::Text("other".to_owned()),
                    _ => {}
                }
            }
            Rewrite::Foreign(a) => {
                let pick = usize::from(a).checked_rem(self.foreign.len())?;
                let message = self.foreign.get(pick)?.clone();
                let place = usize::from(a / 7) % (self.messages.len() + 1);
                self.messages.insert(place, message);
            }
        }
        Some(())
    }

    fn invented_call(&mut self, name: u8, args: Args) -> FunctionCall {
        let name = NAMES[usize::from(name) % NAMES.len()];
        FunctionCall::new(self.fresh("x"), name, args.text())
    }
}

fn assistant(id: String, tool_calls: Vec<FunctionCall>) -> Message {
    let content = None;
    Message::new(
        id,
        MessageBody::Assistant {
            content,
            tool_calls,
        },
    )
}

fn tool(id: String, tool_call_id: String) -> Message {
    let body = MessageBody::Tool {
        tool_call_id,
        content: Content::Text("theirs".to_owned()),
        error: None,
    };
    Message::new(id, body)
}
