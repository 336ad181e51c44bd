//! The calls of a conversation: their keys, where they are, and what happens to them.
//!
//! A key is minted when a call first appears and goes with it wherever it moves. A call that a
//! snapshot takes off the path of its run is *departed*: if an agent brings its id back, it is the
//! same call, with everything that happened to it. Neighbours: `state` for the table of what may
//! happen, `index` for the ids that agents give.

use super::{
    CallKey, CallTransition, Change, Conversation, Message, Part, ToolCall, Transition,
    state::{Happening, State},
    tree::CallRef,
};
use crate::order::in_order;

/// Where a call is that left the path of its run.
#[derive(Debug, Clone)]
pub(super) enum Departed {
    /// Nowhere in the tree.
    Gone(Box<ToolCall>),
    /// On a branch that is kept for what a person wrote or decided in it.
    Kept(CallKey),
}

impl Conversation {
    /// A call by its key.
    #[must_use]
    pub fn call(&self, key: &CallKey) -> Option<&ToolCall> {
        match self.places.get(key) {
            Some(at) => self.call_at(*at),
            None => self.direct.get(key).map(|call| &**call),
        }
    }

    /// Adds a call that the page makes itself: it stands beside the messages and is never sent.
    pub(crate) fn add_direct(&mut self, mut call: ToolCall) -> CallKey {
        let key = self.mint();
        call.key = key;
        self.direct.insert(key, Box::new(call));
        self.log.push(Change::Call(key));
        key
    }

    /// Takes out a call that the page made itself.
    pub(crate) fn take_direct(&mut self, key: &CallKey) -> Option<Box<ToolCall>> {
        self.log.push(Change::Call(*key));
        let call = self.direct.remove(key)?;
        for one in self.transitions.iter_mut().filter(|one| one.call == *key) {
            one.gone = Some(call.clone());
        }
        Some(call)
    }

    /// The calls that the page makes itself, oldest first.
    pub fn direct_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.direct.iter().map(|(_, call)| &**call)
    }

    pub(crate) fn is_direct(&self, key: &CallKey) -> bool {
        self.direct.contains(key)
    }

    /// The call on the run's path to which the agent gave this id.
    #[must_use]
    pub fn call_by_wire_id(&self, id: &str) -> Option<(CallKey, &ToolCall)> {
        let key = self.find_call(id)?;
        Some((key, self.call(&key)?))
    }

    /// The message that holds a call.
    #[must_use]
    pub fn message_of_call(&self, key: &CallKey) -> Option<&Message> {
        let at = self.places.get(key)?;
        self.node(at.node).map(|node| &node.message)
    }

    /// All calls of the tree, on all branches, in no order; tool callouts that are only text are none.
    pub(crate) fn all_calls(&self) -> impl Iterator<Item = &ToolCall> {
        let calls = self.places.values().filter_map(|at| self.call_at(*at));
        calls.filter(|call| call.is_real())
    }

    /// All calls that are shown, in order.
    #[must_use]
    pub fn path_calls(&self) -> Vec<CallKey> {
        self.calls_on(self.shown_path())
    }

    /// All calls on the run's path, in order.
    pub(crate) fn run_calls(&self) -> Vec<CallKey> {
        self.calls_on(&self.path)
    }

    fn calls_on(&self, path: &[usize]) -> Vec<CallKey> {
        path.iter().flat_map(|ix| self.node_calls(*ix)).collect()
    }

    /// The calls on the run's path that have not ended, in order of appearance.
    #[must_use]
    pub fn active_calls(&self) -> Vec<CallKey> {
        let placed = self.open_keys();
        let placed = placed.filter_map(|key| Some((self.place_of(&key)?, key)));
        let by_part = in_order(placed.collect(), |((_, part), _)| rank(*part));
        let by_depth = in_order(by_part, |((depth, _), _)| rank(*depth));
        by_depth.into_iter().map(|(_, key)| key).collect()
    }

    /// The calls that wait on branches that runs do not write on, in no order.
    pub(crate) fn open_elsewhere(&self) -> impl Iterator<Item = &ToolCall> {
        self.open_keys()
            .filter(|key| self.place_of(key).is_none())
            .filter_map(|key| self.call(&key))
    }

    /// The states of the calls on the run's path that have not ended, in no order.
    pub(crate) fn open_states(&self) -> impl Iterator<Item = (CallKey, &State)> {
        self.open_keys()
            .filter(|key| self.place_of(key).is_some())
            .filter_map(|key| Some((key, &self.call(&key)?.state)))
    }

    fn open_keys(&self) -> impl Iterator<Item = CallKey> {
        self.open.iter().map(|(key, ())| key)
    }

    /// An open call in such a state, on the run's path or of the page itself.
    pub(crate) fn find_open(&self, is_it: impl Fn(&State) -> bool) -> Option<CallKey> {
        let direct = self.direct_calls().map(|call| (call.key, &call.state));
        let mut states = self.open_states().chain(direct);
        states.find(|(_, state)| is_it(state)).map(|(key, _)| key)
    }

    /// Whether an open call on the run's path is in such a state.
    pub(crate) fn has_open(&self, is_it: impl Fn(&State) -> bool) -> bool {
        self.open_states().any(|(_, state)| is_it(state))
    }

    /// Calls that have reached their last phase, in that order, on all branches.
    #[must_use]
    pub fn call_history(&self) -> Vec<CallKey> {
        let known = |key: &&CallKey| self.places.contains_key(key);
        self.history.iter().filter(known).copied().collect()
    }

    /// Where a call stands on the run's path, for comparison; `None` if it is not on it.
    pub(crate) fn place_of(&self, key: &CallKey) -> Option<(usize, usize)> {
        let at = self.places.get(key)?;
        let depth = self.node(at.node)?.depth;
        (self.path.get(depth) == Some(&at.node)).then_some((depth, at.part))
    }

    /// The calls of a node. Those that are only told in a text are not among them.
    pub(super) fn node_calls(&self, node: usize) -> impl Iterator<Item = CallKey> + '_ {
        let parts = self.node(node).map_or(&[][..], |node| &node.message.parts);
        let calls = parts.iter().filter_map(Part::as_call);
        calls.filter(|call| call.is_real()).map(|call| call.key)
    }

    /// The number of the key that was minted last.
    pub(crate) const fn last_key(&self) -> u64 {
        self.last_key
    }

    pub(super) fn mint(&mut self) -> CallKey {
        self.last_key += 1;
        CallKey::new(self.last_key)
    }

    /// Gives a key, and the run that writes now, to each call of a message that has none, and notes
    /// where all of them are.
    pub(super) fn settle_in(&mut self, node: usize) {
        let Some(Some(entry)) = self.nodes.get_mut(node) else {
            return;
        };
        for (part, entry) in entry.message.parts.iter_mut().enumerate() {
            let Part::ToolCall(call) = entry else {
                continue;
            };
            if call.key.number() == 0 {
                self.last_key += 1;
                call.key = CallKey::new(self.last_key);
                call.run = call.run.or(self.runs.current);
            }
            self.places.insert(call.key, CallRef { node, part });
            if call.state.is_done() || !call.is_real() {
                self.open.remove(&call.key);
            } else {
                self.open.insert(call.key, ());
            }
        }
    }

    /// Changes the content of a call, and says so.
    pub(crate) fn edit_call<R>(
        &mut self,
        key: &CallKey,
        edit: impl FnOnce(&mut ToolCall) -> R,
    ) -> Option<R> {
        let (mut edit, mut given) = (Some(edit), None);
        self.edit_by(key, &mut |call| given = edit.take().map(|edit| edit(call)));
        given
    }

    /// [`Self::edit_call`], compiled once.
    fn edit_by(&mut self, key: &CallKey, edit: &mut dyn FnMut(&mut ToolCall)) -> Option<()> {
        let Some(at) = self.places.get(key).copied() else {
            let call = self.direct.get_mut(key)?;
            edit(call);
            let happened = std::mem::take(&mut call.transitions);
            self.note_transitions(key, happened);
            self.log.push(Change::Call(*key));
            return Some(());
        };
        let part = self.nodes.get_mut(at.node)?.as_mut()?;
        let Part::ToolCall(call) = part.message.parts.get_mut(at.part)? else {
            return None;
        };
        let was_open = call.is_real() && !call.state.is_done();
        edit(call);
        let is_open = call.is_real() && !call.state.is_done();
        let is_real = call.is_real();
        let happened = std::mem::take(&mut call.transitions);
        if was_open && !is_open {
            self.open.remove(key);
            if is_real {
                self.history.push(*key);
            }
        } else if is_open && !was_open {
            self.open.insert(*key, ());
        }
        self.note_transitions(key, happened);
        self.log.push(Change::Call(*key));
        Some(())
    }

    /// Counts the calls of the same name, made by the same run as this one, that have started.
    pub(crate) fn starts_beside(&self, key: &CallKey) -> u32 {
        let Some(call) = self.call(key).filter(|call| call.run.is_some()) else {
            return 0;
        };
        let newest_first = self.run_path().rev();
        let of_turn = newest_first.take_while(|message| !message.is_from_user());
        let beside = of_turn.flat_map(|message| message.calls());
        let is_like = |other: &&ToolCall| {
            let works = other.was_started() || other.state.is_at_work();
            other.key != call.key && other.run == call.run && works && other.name == call.name
        };
        u32::try_from(beside.filter(is_like).count()).unwrap_or(u32::MAX)
    }

    fn note_transitions(&mut self, key: &CallKey, happened: Vec<Transition>) {
        let of_call = |what| CallTransition {
            call: *key,
            what,
            gone: None,
            thread_id: None,
        };
        self.transitions.extend(happened.into_iter().map(of_call));
    }

    /// Lets something happen to a call. `false` if that changes nothing.
    pub(crate) fn happens(&mut self, key: &CallKey, what: &Happening) -> bool {
        let takes = self
            .call(key)
            .is_some_and(|call| call.state.after(what).is_some());
        takes && self.edit_call(key, |call| call.take(what)).unwrap_or(false)
    }

    /// Takes the call with this id back that left the path, with all that happened to it.
    pub(super) fn take_back(&mut self, wire_id: &str) -> Option<Box<ToolCall>> {
        match self.departed.remove(wire_id)? {
            Departed::Gone(call) => {
                // It may have ended where nobody saw it.
                self.log.push(Change::Call(call.key));
                Some(call)
            }
            Departed::Kept(key) => {
                let at = self.places.get(&key).copied()?;
                self.leave_copy(at)
            }
        }
    }

    /// A call left the path of its run: it is kept for the case that its id comes back.
    pub(super) fn depart(&mut self, call: Box<ToolCall>) {
        self.open.remove(&call.key);
        self.places.remove(&call.key);
        self.departed.insert(call.id.clone(), Departed::Gone(call));
    }

    /// The journal says that the handler of a call was started, and nobody knows whether it ended.
    pub(crate) fn doubt(&mut self, key: &CallKey, attempt: u32) {
        self.edit_call(key, |call| call.doubt(attempt));
    }

    /// Some calls of a node stay with it on a branch that no run writes on.
    pub(super) fn keep_departed(&mut self, node: usize, which: impl Fn(&ToolCall) -> bool) {
        let keys: Vec<CallKey> = self.node_calls(node).collect();
        for key in keys {
            let call = self.call(&key).filter(|call| which(call));
            if let Some(id) = call.map(|call| call.id.clone()) {
                self.departed.insert(id, Departed::Kept(key));
            }
        }
    }

    /// Remembers what happened to the calls of messages that a person deleted: an agent that lists
    /// one of them again names the same call.
    pub(super) fn remember_deleted(&mut self, parts: Vec<Part>) {
        for part in parts {
            let Part::ToolCall(call) = part else { continue };
            let is_unknown = match self.departed.get(&call.id) {
                Some(Departed::Kept(key)) => *key == call.key,
                Some(Departed::Gone(_)) => false,
                None => self.call_by_wire_id(&call.id).is_none(),
            };
            if is_unknown {
                self.depart(call);
            }
        }
    }

    /// The calls that left the tree and have not ended.
    pub(crate) fn departed_open(&mut self) -> impl Iterator<Item = &mut ToolCall> {
        self.departed.values_mut().filter_map(|call| match call {
            Departed::Gone(call) if !call.state.is_done() => Some(&mut **call),
            _ => None,
        })
    }

    /// Requires that a person is asked here before one of the open calls starts, on whichever branch
    /// it is.
    pub(crate) fn ask_before_starts(&mut self) {
        let open: Vec<CallKey> = self.open_keys().collect();
        for key in open {
            self.edit_call(&key, |call| call.asked_here = true);
        }
        for call in self.departed_open() {
            call.asked_here = true;
            call.void();
        }
    }

    /// What an agent now says of a call that it had said before: another name, other arguments.
    pub(super) fn rewrite(call: &mut ToolCall, name: String, args: &str) {
        if call.stands() && call.has_ended() {
            return;
        }
        // Some servers list calls without the arguments that they streamed.
        let streamed = call.run.is_some() && call.has_ended() && call.args().is_some();
        let emptied = args.is_empty() && streamed;
        // What it was told a person had made of them is no news.
        let edited = call.edited_args.as_ref().filter(|_| call.was_started());
        let echoed =
            edited.is_some_and(|edited| serde_json::from_str(args).ok().as_ref() == Some(edited));
        let same_args = emptied || echoed || call.args_text() == args;
        if call.name == name && same_args {
            return;
        }
        call.changed |= matches!(call.state, State::Gated { card: true });
        call.name = name;
        if !same_args {
            call.set_args_text(args);
        }
        call.take(&Happening::Rewritten);
    }
}

/// A place as a number to sort by.
fn rank(place: usize) -> i64 {
    i64::try_from(place).unwrap_or(i64::MAX)
}
