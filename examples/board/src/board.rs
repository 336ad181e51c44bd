//! The cards, as signals.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

/// The column of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Column {
    Todo,
    Doing,
    Done,
}

impl Column {
    pub const ALL: [Self; 3] = [Self::Todo, Self::Doing, Self::Done];

    pub const fn title(self) -> &'static str {
        match self {
            Self::Todo => "To do",
            Self::Doing => "Doing",
            Self::Done => "Done",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Card {
    pub id: u32,
    pub title: String,
    pub column: Column,
    pub points: Option<u32>,
}

/// The board: `Copy`, as signals are, so that handlers can capture it.
#[derive(Clone, Copy)]
pub struct Board {
    pub cards: RwSignal<Vec<Card>>,
    /// The selected card.
    pub selected: RwSignal<Option<u32>>,
}

impl Board {
    pub fn sample() -> Self {
        let board = Self {
            cards: RwSignal::default(),
            selected: RwSignal::default(),
        };
        board.add("Draw the harbour", Column::Todo);
        board.add("Order paint", Column::Doing);
        board.add("Count the boats", Column::Done);
        board
    }

    pub fn add(self, title: &str, column: Column) -> Card {
        let highest = self
            .cards
            .with_untracked(|cards| cards.iter().map(|card| card.id).max());
        let card = Card {
            id: highest.unwrap_or_default() + 1,
            title: title.to_owned(),
            column,
            points: None,
        };
        self.cards.update(|cards| cards.push(card.clone()));
        card
    }

    /// Changes the card with this id, if there is one.
    pub fn change(self, id: u32, change: impl FnOnce(&mut Card)) -> Option<Card> {
        self.cards.try_update(|cards| {
            let card = cards.iter_mut().find(|card| card.id == id)?;
            change(card);
            Some(card.clone())
        })?
    }

    /// Deletes the cards that are done, and returns their number.
    pub fn sweep(self) -> usize {
        let before = self.cards.with_untracked(Vec::len);
        self.cards
            .update(|cards| cards.retain(|card| card.column != Column::Done));
        before - self.cards.with_untracked(Vec::len)
    }

    /// Returns the titles in a column.
    pub fn titles(self, column: Column) -> Vec<String> {
        self.cards.with(|cards| {
            let there = cards.iter().filter(|card| card.column == column);
            there.map(|card| card.title.clone()).collect()
        })
    }

    /// Returns the title of the selected card.
    pub fn selected_title(self) -> Option<String> {
        let id = self.selected.get()?;
        self.cards.with(|cards| {
            let card = cards.iter().find(|card| card.id == id);
            card.map(|card| card.title.clone())
        })
    }
}
