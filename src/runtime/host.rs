//! Implements the session's host in a browser: provides the clock, new ids, regular expressions,
//! and rules of the application.

use super::Runtime;
use assistant_core::{
    action::{
        RegistrationId,
        schema::{self, PatternHost},
    },
    event::TokenUsage,
    session::{Answer, Host, PolicyQuestion, TurnSummary},
};
use serde_json::Value;

use crate::ui::{fresh_id, now};

/// Provides the clock, the ids, the pattern matching and the application's rules to a session.
pub(super) struct BrowserHost<'a> {
    pub(super) runtime: &'a Runtime,
}

impl Runtime {
    /// Returns all violations of a schema by a value, including violations of the schema's
    /// patterns.
    pub(crate) fn find_violations(&self, schema: &Value, value: &Value) -> Vec<schema::Violation> {
        schema::validate(schema, value, &mut BrowserHost { runtime: self })
    }
}

impl PatternHost for BrowserHost<'_> {
    fn pattern_matches(&mut self, pattern: &str, text: &str) -> Option<bool> {
        // `RegExp::new` of js-sys throws an exception for an invalid pattern, but
        // `Reflect::construct` returns an error.
        let class = js_sys::Reflect::get(&js_sys::global(), &"RegExp".into()).ok()?;
        let args = js_sys::Array::of2(&pattern.into(), &"u".into());
        let regexp = js_sys::Reflect::construct(&class.into(), &args).ok()?;
        Some(js_sys::RegExp::from(regexp).test(text))
    }
}

impl Host for BrowserHost<'_> {
    fn now(&mut self) -> i64 {
        now()
    }

    fn new_id(&mut self) -> String {
        fresh_id()
    }

    /// Defers an approval rule of the application, because the session is borrowed: the runtime
    /// evaluates the rule later and dispatches the answer as an input.
    fn needs_approval(&mut self, question: PolicyQuestion<'_>) -> Answer<bool> {
        self.runtime.evaluate_approval_rule(question);
        Answer::Later
    }

    fn permits(&mut self, question: PolicyQuestion<'_>) -> Answer<Result<(), String>> {
        match self.runtime.needs_permission(question.registration()) {
            true => {
                self.runtime.evaluate_permission(question);
                Answer::Later
            }
            false => Answer::Now(Ok(())),
        }
    }

    fn sanitize(&mut self, registration: RegistrationId, args: &Value) -> Option<Value> {
        let code = self.runtime.code(registration)?;
        code.sanitize.as_ref()?(args)
    }

    fn stops(&mut self, rule: &str, summary: &TurnSummary) -> bool {
        self.runtime.should_stop(rule, summary)
    }

    fn price(&mut self, usage: &TokenUsage) -> Option<u64> {
        self.runtime.price_of(usage)
    }

    fn denial(
        &mut self,
        registration: RegistrationId,
        args: &Value,
        reason: Option<&str>,
    ) -> Option<Value> {
        let code = self.runtime.code(registration)?;
        code.denial.as_ref()?(args, reason)
    }
}
