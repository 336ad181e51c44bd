//! A second tab that follows a conversation that another tab owns. The second tab refuses every
//! action until it takes the conversation over.

use assistant_core::{
    conversation::Decider,
    event::Content,
    session::{Input, TreeChange, Verdict},
};
use serde_json::json;

use super::{
    history::ChatSimulation,
    page::{Tab, TabEffect},
};

impl ChatSimulation {
    /// Creates a tab with a session of its own.
    fn open_tab(&mut self) -> Tab {
        self.tabs += 1;
        Tab::new(self.tabs, self.tab.desk.clock)
    }

    /// Returns the tab that takes the conversation over: at random, the follower, if there is one,
    /// or a new tab.
    pub(super) fn take_successor(&mut self) -> Tab {
        let follows = self.rng.u8(..) < 128;
        match self.follower.take_if(|_| follows) {
            Some(mut tab) => {
                tab.desk.clock = self.tab.desk.clock;
                tab
            }
            None => self.open_tab(),
        }
    }

    /// Opens the second tab, updates it, requests an action, or closes it.
    pub(super) fn step_follower(&mut self) {
        let Some(mut tab) = self.follower.take() else {
            return self.open_follower();
        };
        match self.rng.u8(..) {
            0..20 => return,
            20..80 => self.show_owner_state(&mut tab),
            _ => self.request_owner_action(&mut tab),
        }
        self.follower = Some(tab);
    }

    fn open_follower(&mut self) {
        let mut tab = self.open_tab();
        self.show_owner_state(&mut tab);
        if tab.session.is_following() {
            self.follower = Some(tab);
        }
    }

    /// Passes the owner's stored state to the second tab, and counts a violation if the tab refuses
    /// the state or starts anything.
    fn show_owner_state(&mut self, tab: &mut Tab) {
        let Some((snapshot, _)) = self.store.load() else {
            return;
        };
        let thread_id = "thread".to_owned();
        let (accepted, news) = tab.handle_input(Input::Follow {
            thread_id,
            snapshot,
        });
        let acts = !news.is_empty() || !tab.tasks.is_empty() || tab.run.is_some();
        self.tally.stuck += u64::from(!accepted);
        self.tally.double_starts += u64::from(acts);
    }

    /// Imports the conversation into a separate page, and counts a violation if the page refuses it
    /// or starts anything.
    pub(super) fn check_import(&mut self) {
        let mut tab = self.open_tab();
        let (accepted, mut news) = tab.handle_input(Input::Load {
            thread_id: "copy".to_owned(),
            snapshot: self.tab.session.export(),
        });
        news.extend(tab.register_actions());
        news.retain(|news| !matches!(news, TabEffect::Recorded(_)));
        let acts = !news.is_empty() || !tab.tasks.is_empty() || tab.run.is_some();
        self.tally.stuck += u64::from(!accepted);
        self.tally.double_starts += u64::from(acts);
    }

    /// Requests an action that only the owner may perform, or mounts a component again. Counts a
    /// violation if the tab accepts the action or starts anything.
    fn request_owner_action(&mut self, tab: &mut Tab) {
        let calls = tab.session.pending_approvals();
        let asked = self.rng.choice(calls);
        let content = Content::Text("in the other tab".to_owned());
        let message = tab.session.conversation().path().next();
        let message = message.map(|message| message.id().clone());
        if self.rng.u8(..) < 40 {
            // A component is mounted again, which does not act on the conversation.
            let news = tab.register_actions();
            let acts = !news.is_empty() || !tab.tasks.is_empty();
            self.tally.double_starts += u64::from(acts);
            return;
        }
        let shown = asked.and_then(|call| Some((call, tab.session.fingerprint(&call)?)));
        let input = match (self.rng.u8(0..7), shown, message) {
            (0, Some((call, shown)), _) => Input::Decide {
                call,
                shown,
                verdict: Verdict::Approve { args: None },
                by: Decider::Person,
            },
            (1, ..) => Input::Retry,
            (2, ..) => Input::Continue,
            (3, ..) => Input::Execute {
                request: 1,
                name: "look".to_owned(),
                args: json!({}),
                within: None,
            },
            (5, ..) => Input::Stop,
            (4, _, Some(message)) => Input::Tree {
                change: TreeChange::Regenerate { message },
            },
            _ => Input::Send { content },
        };
        let (accepted, news) = tab.handle_input(input);
        let acts = !news.is_empty() || !tab.tasks.is_empty() || tab.run.is_some();
        self.tally.double_starts += u64::from(accepted || acts);
    }
}
