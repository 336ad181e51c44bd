//! Cards that custom renderers have drawn, by the registration that they belong to.
//!
//! What a renderer draws reads signals of the component that registered it. When that component
//! goes, its cards must go before its signals do: a card that reads a signal that is gone would
//! end the page (rule "unmounting").

use std::{any::Any, cell::RefCell, collections::HashMap};

use assistant_core::action::RegistrationId;

/// A card and the registration that it belongs to; dropped, it leaves the page.
type Card = (RegistrationId, Box<dyn Any>);

/// The mounted cards. Dropping one takes it out of the page.
#[derive(Default)]
pub(crate) struct Cards {
    mounted: RefCell<HashMap<u64, Card>>,
}

impl Cards {
    pub(crate) fn keep(&self, card: u64, registration: RegistrationId, mounted: Box<dyn Any>) {
        let old = self
            .mounted
            .borrow_mut()
            .insert(card, (registration, mounted));
        drop(old);
    }

    /// Takes one card out of the page.
    pub(crate) fn remove(&self, card: u64) {
        // Dropped after the borrow ends: what a card cleans up may come back here.
        let gone = self.mounted.borrow_mut().remove(&card);
        drop(gone);
    }

    /// Takes all cards of a registration out of the page.
    pub(crate) fn dispose(&self, registration: RegistrationId) {
        let cards: Vec<u64> = {
            let mounted = self.mounted.borrow();
            mounted
                .iter()
                .filter(|(_, (id, _))| *id == registration)
                .map(|(card, _)| *card)
                .collect()
        };
        for card in cards {
            self.remove(card);
        }
    }

    pub(crate) fn clear(&self) {
        let gone = std::mem::take(&mut *self.mounted.borrow_mut());
        drop(gone);
    }
}
