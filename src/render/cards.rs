//! Owns the cards that custom renderers have drawn, each with the registration of its renderer.
//!
//! A card reads signals of the component that registered its renderer. When that component is
//! unmounted, the cards must be removed before the signals are disposed: reading a disposed signal
//! would panic (rule "unmounting").

use std::{any::Any, cell::RefCell, collections::HashMap};

use assistant_core::action::RegistrationId;

/// A registration and its mounted card. Dropping the card removes the card from the page.
type MountedCard = (RegistrationId, Box<dyn Any>);

/// The mounted cards, by the numbers of the cards.
#[derive(Default)]
pub(crate) struct MountedCards {
    mounted: RefCell<HashMap<u64, MountedCard>>,
}

impl MountedCards {
    pub(crate) fn insert(&self, card: u64, registration: RegistrationId, handle: Box<dyn Any>) {
        let replaced_card = self
            .mounted
            .borrow_mut()
            .insert(card, (registration, handle));
        drop(replaced_card);
    }

    /// Removes one card from the page.
    pub(crate) fn remove(&self, card: u64) {
        // The card is dropped after the borrow ends, since its cleanup code may use the cards
        // again.
        let removed_card = self.mounted.borrow_mut().remove(&card);
        drop(removed_card);
    }

    /// Removes all cards of a registration from the page.
    pub(crate) fn remove_all_of(&self, registration: RegistrationId) {
        let card_ids: Vec<u64> = {
            let cards = self.mounted.borrow();
            cards
                .iter()
                .filter(|(_, (id, _))| *id == registration)
                .map(|(card, _)| *card)
                .collect()
        };
        for card in card_ids {
            self.remove(card);
        }
    }

    pub(crate) fn clear(&self) {
        let removed_cards = std::mem::take(&mut *self.mounted.borrow_mut());
        drop(removed_cards);
    }
}
