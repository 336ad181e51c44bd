//! Times as people read them, in the language of the page.

use js_sys::{Array, Function, Object, Reflect};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};

use super::written;

/// How a time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Hours and minutes.
    Short,
    /// Date and time in full.
    Full,
    /// The day.
    Day,
}

/// A time in words. Nothing when the browser has none for it.
pub(crate) fn words(ms: i64, form: Form) -> Option<String> {
    let options = match form {
        Form::Short => [("hour", "numeric"), ("minute", "2-digit")].as_slice(),
        Form::Full => &[("dateStyle", "full"), ("timeStyle", "short")],
        Form::Day => &[("weekday", "long"), ("day", "numeric"), ("month", "long")],
    };
    let bag = Object::new();
    for (key, value) in options {
        // Setting a property of a fresh object does not fail.
        let _ = Reflect::set(&bag, &(*key).into(), &(*value).into());
    }
    if form == Form::Day && year(ms) != year(now()) {
        let _ = Reflect::set(&bag, &"year".into(), &"numeric".into());
    }
    intl("DateTimeFormat", &bag, &date(ms).into())
}

/// A number in words: 1.2K, 3.4.
pub(crate) fn number(value: f64, compact: bool) -> String {
    let bag = Object::new();
    let _ = Reflect::set(&bag, &"maximumFractionDigits".into(), &1.into());
    if compact {
        let _ = Reflect::set(&bag, &"notation".into(), &"compact".into());
    }
    intl("NumberFormat", &bag, &value.into()).unwrap_or_else(|| written(value))
}

/// An amount of money, in millionths, with as many digits as small ones need.
pub(crate) fn money(micros: u64, currency: &str) -> String {
    let bag = Object::new();
    let set = |key: &str, value: JsValue| {
        // Setting a property of a fresh object does not fail.
        let _ = Reflect::set(&bag, &key.into(), &value);
    };
    set("style", "currency".into());
    set("currency", currency.into());
    set(
        "maximumFractionDigits",
        if micros < 1_000_000 { 4 } else { 2 }.into(),
    );
    #[allow(clippy::cast_precision_loss, reason = "shown with a few digits")]
    let value = micros as f64 / 1_000_000.0;
    intl("NumberFormat", &bag, &value.into())
        .unwrap_or_else(|| format!("{} {currency}", written(value)))
}

/// The time for machines.
pub(crate) fn iso(ms: i64) -> Option<String> {
    // `toISOString` throws for a time that is none.
    let date = date(ms);
    (!date.get_time().is_nan()).then(|| date.to_iso_string().into())
}

/// Whether two times lie on the same day here.
pub(crate) fn same_day(one: i64, other: i64) -> bool {
    let day = |ms| {
        let date = date(ms);
        (date.get_full_year(), date.get_month(), date.get_date())
    };
    day(one) == day(other)
}

/// Milliseconds since 1970.
#[allow(
    clippy::cast_possible_truncation,
    reason = "whole milliseconds fit for a long while"
)]
pub(crate) fn now() -> i64 {
    #[cfg(feature = "testing")]
    if let Some(now) = super::clock::now() {
        return now;
    }
    if super::in_browser() {
        return js_sys::Date::now() as i64;
    }
    let since = std::time::UNIX_EPOCH.elapsed();
    since.map_or(0, |since| since.as_millis() as i64)
}

#[allow(
    clippy::cast_precision_loss,
    reason = "a time that is not exact in a float lies beyond all calendars"
)]
fn date(ms: i64) -> js_sys::Date {
    js_sys::Date::new(&JsValue::from_f64(ms as f64))
}

fn year(ms: i64) -> u32 {
    date(ms).get_full_year()
}

/// Formats by one of the classes of `Intl`. Made through Reflect, since a page's language may be
/// one that it throws at; then the browser's own is taken.
fn intl(class: &str, options: &Object, value: &JsValue) -> Option<String> {
    let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
    let class: Function = Reflect::get(&intl, &class.into()).ok()?.dyn_into().ok()?;
    let page = document()
        .document_element()
        .and_then(|e| e.get_attribute("lang"));
    let page = page.filter(|language| !language.is_empty());
    let language = page.map_or(JsValue::UNDEFINED, JsValue::from);
    let make =
        |language: &JsValue| Reflect::construct(&class, &Array::of2(language, options.as_ref()));
    let format = make(&language)
        .or_else(|_| make(&JsValue::UNDEFINED))
        .ok()?;
    let method: Function = Reflect::get(&format, &"format".into())
        .ok()?
        .dyn_into()
        .ok()?;
    method.call1(&format, value).ok()?.as_string()
}
