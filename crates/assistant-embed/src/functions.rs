//! The functions of a definition, by the names of its fields.

use wasm_bindgen::{JsCast, JsValue};

use crate::{drawing::Drawing, function::PageFunction, look::get};

/// An object with functions that `npm/foreign.js` has wrapped.
pub(crate) struct Functions {
    object: JsValue,
    exact_numbers: bool,
}

impl Functions {
    pub(crate) const fn new(object: JsValue, exact_numbers: bool) -> Self {
        Self {
            object,
            exact_numbers,
        }
    }

    /// Returns a function that draws.
    pub(crate) fn drawing(&self, name: &str) -> Option<Drawing> {
        let draw = get(&self.object, name).dyn_into().ok()?;
        Some(Drawing::new(draw))
    }

    pub(crate) fn get(&self, name: &str) -> Option<PageFunction> {
        let function = get(&self.object, name).dyn_into().ok()?;
        Some(PageFunction::new(function, self.exact_numbers))
    }
}
