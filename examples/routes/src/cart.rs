//! The cart, as a signal that all routes share.

use leptos::prelude::*;
use serde::Deserialize;

/// The products.
pub const PRODUCTS: [&str; 4] = ["anchor", "compass", "lantern", "rope"];

/// The content of the cart.
#[derive(Clone, Copy, Default)]
pub struct Cart(pub RwSignal<Vec<String>>);

/// The arguments of `add_to_cart`.
#[derive(Deserialize)]
pub struct Add {
    pub product: String,
}

impl Cart {
    pub fn add(self, product: &str) {
        self.0.update(|products| products.push(product.to_owned()));
    }

    /// Empties the cart and returns its content.
    pub fn empty(self) -> Vec<String> {
        self.0.try_update(std::mem::take).unwrap_or_default()
    }

    pub fn is_empty(self) -> bool {
        self.0.with(Vec::is_empty)
    }
}
