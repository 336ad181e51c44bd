//! A browser whose connection is lost and restored, for tests.

use std::{cell::Cell, rc::Rc};

use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

/// Sets what the browser reports about its connection, until it is dropped.
pub struct Connection {
    online: Rc<Cell<bool>>,
    _get: Closure<dyn Fn() -> bool>,
}

impl Connection {
    pub fn offline() -> Self {
        let online = Rc::new(Cell::new(false));
        let read = Rc::clone(&online);
        let get = Closure::<dyn Fn() -> bool>::new(move || read.get());
        let property = js_sys::Object::new();
        let set = |name: &str, value: &JsValue| {
            js_sys::Reflect::set(&property, &name.into(), value).unwrap();
        };
        set("get", get.as_ref());
        set("configurable", &true.into());
        let navigator: js_sys::Object = window().navigator().unchecked_into();
        js_sys::Object::define_property(&navigator, &"onLine".into(), &property);
        Self { online, _get: get }
    }

    pub fn lose(&self) {
        self.online.set(false);
    }

    pub fn restore(&self) {
        self.online.set(true);
        let event = web_sys::Event::new("online").unwrap();
        window().dispatch_event(&event).unwrap();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let navigator: js_sys::Object = window().navigator().unchecked_into();
        js_sys::Reflect::delete_property(&navigator, &"onLine".into()).unwrap();
    }
}
