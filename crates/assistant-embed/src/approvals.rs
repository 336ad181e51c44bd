//! Persists approvals in a store of the page.

use std::{cell::RefCell, pin::Pin, rc::Rc};

use leptos_assistant::{ApprovalStore, Assistant, Subscription, store::Swap};
use send_wrapper::SendWrapper;
use serde_json::{Value, json};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

use crate::{function::PageFunction, numbers, part::Guard, window_options::get_property};

/// Persists the approvals of a chat in a store of the page, until a later store replaces it. Changes
/// by other writers are read until the returned guard is dropped.
pub(crate) fn persist_approvals(chat: &Assistant, store: &JsValue) -> Guard {
    let function = |name| get_property(store, name).dyn_into::<js_sys::Function>();
    let page_function = |name| {
        let function = function(name).ok()?;
        Some(PageFunction::new(function, false))
    };
    let listener = Rc::new(RefCell::new(None));
    let store = PageApprovalStore {
        load: page_function("load"),
        change: function("change").ok().map(SendWrapper::new),
        swap: page_function("swap"),
        on_change: function("onChange").ok().map(SendWrapper::new),
        listener: Rc::clone(&listener),
    };
    chat.remembered_approvals().persist_in(store);
    Box::new(Subscription::new(move || drop(listener.take())))
}

/// A store of approvals that a page implements. `npm/approvals.js` wraps its functions, which never
/// throw.
///
/// An approval with a number beyond the range that JavaScript represents exactly is not stored.
struct PageApprovalStore {
    load: Option<PageFunction>,
    change: Option<SendWrapper<js_sys::Function>>,
    /// `None` if the store does not count uses.
    swap: Option<PageFunction>,
    on_change: Option<SendWrapper<js_sys::Function>>,
    listener: Rc<RefCell<Option<ChangeListener>>>,
}

/// A function that the page calls after changes by other writers, and the function that ends the
/// calls, which is called when the listener is dropped.
struct ChangeListener {
    _changed: Closure<dyn Fn()>,
    end: Option<js_sys::Function>,
}

impl Drop for ChangeListener {
    fn drop(&mut self) {
        if let Some(end) = &self.end {
            // The result is ignored, since the wrapped function never throws.
            let _ = end.call0(&JsValue::UNDEFINED);
        }
    }
}

impl ApprovalStore for PageApprovalStore {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<Vec<Value>, String>>>> {
        let load = self.load.clone();
        Box::pin(async move {
            let load = load.ok_or("there is no function `load`")?;
            match load.call_async(&Value::Null).await {
                Ok(Value::Array(approvals)) => Ok(approvals),
                Ok(_) => Err("`load` returned no list".to_owned()),
                Err(error) => Err(error.message().to_owned()),
            }
        })
    }

    fn change(&self, mut added: Vec<Value>, removed: Vec<String>) {
        let Some(change) = &self.change else { return };
        added.retain(|approval| {
            let is_exact = numbers::rounded_integers(approval).is_empty();
            if !is_exact {
                let reason = "it contains a number that JavaScript would round";
                leptos::logging::error!("leptos-assistant: an approval is not stored: {reason}");
            }
            is_exact
        });
        let changes = json!([added, removed]).to_string();
        // The result is ignored, since the wrapped function never throws.
        let _ = change.call1(&JsValue::UNDEFINED, &changes.into());
    }

    /// Replaces an approval. The wrapped function returns `{done: true}` if the approval was
    /// replaced, and `{found}` with the stored entry otherwise.
    fn swap(&self, before: Value, after: Value) -> Pin<Box<dyn Future<Output = Swap<Value>>>> {
        let swap = self.swap.clone();
        Box::pin(async move {
            let Some(swap) = swap else {
                return Swap::Failed("this store of approvals counts no uses".to_owned());
            };
            match swap.call_async(&json!([before, after])).await {
                Ok(answer) if answer.get("done") == Some(&Value::Bool(true)) => Swap::Done,
                Ok(mut answer) => match answer.get_mut("found").map(Value::take) {
                    None => Swap::Failed("the store of approvals gave no answer".to_owned()),
                    Some(Value::Null) => Swap::Found(None),
                    Some(entry) => Swap::Found(Some(entry)),
                },
                Err(error) => Swap::Failed(error.message().to_owned()),
            }
        })
    }

    fn on_change(&self, changed: Box<dyn Fn()>) -> Subscription {
        let changed = Closure::<dyn Fn()>::new(changed);
        let on_change = self.on_change.as_ref();
        let end = on_change.and_then(|on_change| {
            let end = on_change.call1(&JsValue::UNDEFINED, changed.as_ref());
            end.ok()?.dyn_into::<js_sys::Function>().ok()
        });
        let listener = ChangeListener {
            _changed: changed,
            end,
        };
        self.listener.replace(Some(listener));
        let listener = Rc::clone(&self.listener);
        Subscription::new(move || drop(listener.take()))
    }
}
