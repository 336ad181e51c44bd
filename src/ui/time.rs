//! Formats times and numbers for users in the language of the labels, and selects plural categories.

use std::cell::RefCell;

use js_sys::{Array, Function, Object, Reflect};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};

use super::{Labels, format_float};

/// The format of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeFormat {
    /// Hours and minutes.
    Short,
    /// The date with the weekday, and the time.
    Full,
    /// The weekday and the date, with the year unless it is the current year.
    Day,
}

/// The name and the value of an `Intl` option.
type IntlOption<'a> = (&'a str, &'a str);

const SHORT_OPTIONS: &[IntlOption<'_>] = &[("hour", "numeric"), ("minute", "2-digit")];
const FULL_OPTIONS: &[IntlOption<'_>] = &[("dateStyle", "full"), ("timeStyle", "short")];
const DAY_OPTIONS: [IntlOption<'_>; 3] =
    [("weekday", "long"), ("day", "numeric"), ("month", "long")];
const DIGITS_OPTION: IntlOption<'_> = ("maximumFractionDigits", "1");

impl Labels {
    /// Formats a time in milliseconds since 1970; `None` if the browser cannot format the time.
    pub(crate) fn format_time(&self, ms: i64, format: TimeFormat) -> Option<String> {
        let day_with_year = [
            DAY_OPTIONS[0],
            DAY_OPTIONS[1],
            DAY_OPTIONS[2],
            ("year", "numeric"),
        ];
        let options = match format {
            TimeFormat::Short => SHORT_OPTIONS,
            TimeFormat::Full => FULL_OPTIONS,
            TimeFormat::Day if year(ms) != year(now()) => &day_with_year,
            TimeFormat::Day => &DAY_OPTIONS,
        };
        self.call_intl("DateTimeFormat", options, &date(ms).into())
    }

    /// Formats a number with at most one fraction digit: 3.4, or 1.2K if `compact` is true.
    pub(crate) fn format_number(&self, value: f64, compact: bool) -> String {
        let options = match compact {
            true => [DIGITS_OPTION, ("notation", "compact")].as_slice(),
            false => &[DIGITS_OPTION],
        };
        self.call_intl("NumberFormat", options, &value.into())
            .unwrap_or_else(|| format_float(value))
    }

    /// Returns the plural category of a number with at most one fraction digit; `None` if the
    /// browser cannot determine the category.
    pub(super) fn plural_category(&self, number: f64) -> Option<String> {
        self.call_intl("PluralRules", &[DIGITS_OPTION], &number.into())
    }

    /// Formats a duration in the largest of the units day, hour and minute that leaves no
    /// remainder, or in seconds below one minute.
    pub(crate) fn format_whole_duration(&self, ms: i64) -> String {
        let minutes = ms.max(0) / 60_000;
        let (count, unit) = match minutes {
            0 => (ms.max(0) / 1_000, "second"),
            _ if minutes % 1_440 == 0 => (minutes / 1_440, "day"),
            _ if minutes % 60 == 0 => (minutes / 60, "hour"),
            _ => (minutes, "minute"),
        };
        let options = [("style", "unit"), ("unit", unit), ("unitDisplay", "long")];
        #[allow(clippy::cast_precision_loss, reason = "shown in whole units")]
        let value = count as f64;
        self.call_intl("NumberFormat", &options, &value.into())
            .unwrap_or_else(|| format!("{count} {unit}"))
    }

    /// Formats an amount of money, given in millionths of the currency, with up to two fraction
    /// digits, or up to four for an amount below one unit of the currency.
    pub(crate) fn format_money(&self, micros: u64, currency: &str) -> String {
        let digits = if micros < 1_000_000 { "4" } else { "2" };
        let options = [
            ("style", "currency"),
            ("currency", currency),
            ("maximumFractionDigits", digits),
        ];
        #[allow(clippy::cast_precision_loss, reason = "shown with a few digits")]
        let value = micros as f64 / 1_000_000.0;
        self.call_intl("NumberFormat", &options, &value.into())
            .unwrap_or_else(|| format!("{} {currency}", format_float(value)))
    }

    /// Makes the browser load its formatters, because their first use takes up to thirty
    /// milliseconds, which would delay opening a conversation.
    pub(crate) fn load_formatters(&self) {
        for format in [TimeFormat::Short, TimeFormat::Full] {
            let _ = self.format_time(now(), format);
        }
        let _ = self.format_number(0.0, false);
        let _ = self.plural_category(0.0);
    }

    /// Returns the language tag for the browser's formatters: that of the labels. The tag of the page
    /// is used if the labels have none, or if the page adds a region to the same language.
    fn locale(&self) -> Option<String> {
        let html = document().document_element();
        let page_language = html.and_then(|html| html.get_attribute("lang"));
        let is_ours = |page_language: &String| {
            let primary = page_language.split('-').next().unwrap_or_default();
            self.language.is_empty() || self.language.eq_ignore_ascii_case(primary)
        };
        page_language
            .filter(is_ours)
            .or_else(|| Some(self.language.clone().into_owned()))
            .filter(|language| !language.is_empty())
    }

    /// Formats a value with an `Intl` class, or selects the plural category of a number; `None` if
    /// the browser fails.
    fn call_intl(
        &self,
        class: &str,
        options: &[IntlOption<'_>],
        value: &JsValue,
    ) -> Option<String> {
        call_intl(class, options, self.locale(), value)
    }
}

/// Formats a time in ISO 8601; `None` for an invalid time.
pub(crate) fn format_iso(ms: i64) -> Option<String> {
    // An invalid time is excluded, because `toISOString` would throw an error.
    let date = date(ms);
    (!date.get_time().is_nan()).then(|| date.to_iso_string().into())
}

/// Returns true if two times are on the same local day.
pub(crate) fn is_same_day(a: i64, b: i64) -> bool {
    let day = |ms| {
        let date = date(ms);
        (date.get_full_year(), date.get_month(), date.get_date())
    };
    day(a) == day(b)
}

/// Returns the current time, in milliseconds since 1970. Returns the fake time if a test has set
/// the fake clock.
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
    let elapsed = std::time::UNIX_EPOCH.elapsed();
    elapsed.map_or(0, |elapsed| elapsed.as_millis() as i64)
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

thread_local! {
    /// The formatters, each with a key that consists of the class, the language, the options and
    /// the time zone.
    static FORMATTERS: RefCell<Vec<(String, Function)>> = const { RefCell::new(Vec::new()) };
}

/// Formats a value with an `Intl` class in a language. The formatter is cached, because creating the
/// formatter is the slowest step.
fn call_intl(
    class: &str,
    options: &[IntlOption<'_>],
    language: Option<String>,
    value: &JsValue,
) -> Option<String> {
    // The key contains the time zone, because a formatter is bound to the time zone in which it was
    // created.
    let time_zone_offset = format_float(js_sys::Date::new_0().get_timezone_offset());
    let mut key = format!(
        "{class} {time_zone_offset} {}",
        language.as_deref().unwrap_or_default()
    );
    for (name, value) in options {
        for part in [" ", name, " ", value] {
            key.push_str(part);
        }
    }
    let cached = FORMATTERS.with_borrow(|formats| {
        let entry = formats.iter().find(|(name, _)| *name == key);
        entry.map(|(_, format)| format.clone())
    });
    let format = match cached {
        Some(format) => format,
        None => {
            let format = create_formatter(class, options, language)?;
            FORMATTERS.with_borrow_mut(|formats| formats.push((key, format.clone())));
            format
        }
    };
    format.call1(&JsValue::UNDEFINED, value).ok()?.as_string()
}

/// Creates the format function of an `Intl` class, or the function that selects a plural category;
/// `None` if the browser fails. If the constructor throws for the language, numbers and times are in
/// the browser's own language, and plural categories are those of English. `Reflect` converts the
/// exception to an error.
fn create_formatter(
    class_name: &str,
    options: &[IntlOption<'_>],
    language: Option<String>,
) -> Option<Function> {
    let intl = Reflect::get(&js_sys::global(), &"Intl".into()).ok()?;
    let class: Function = Reflect::get(&intl, &class_name.into())
        .ok()?
        .dyn_into()
        .ok()?;
    let options_object = Object::new();
    for (name, value) in options {
        // The error is ignored, because setting a property of a new object cannot fail.
        let _ = Reflect::set(&options_object, &(*name).into(), &(*value).into());
    }
    let language = language.map_or(JsValue::UNDEFINED, JsValue::from);
    let construct = |language: &JsValue| {
        Reflect::construct(&class, &Array::of2(language, options_object.as_ref()))
    };
    let (method_name, default_language) = match class_name {
        "PluralRules" => ("select", "en".into()),
        _ => ("format", JsValue::UNDEFINED),
    };
    let formatter = construct(&language)
        .or_else(|_| construct(&default_language))
        .ok()?;
    let method = Reflect::get(&formatter, &method_name.into()).ok()?;
    Some(method.dyn_into::<Function>().ok()?.bind0(&formatter))
}
