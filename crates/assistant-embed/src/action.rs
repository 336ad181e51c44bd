//! Creates actions of the page, from a definition in JSON and from functions that `npm/action.js`
//! has wrapped.

use std::time::Duration;

use leptos_assistant::{
    Approval, CallLimits, Description, Risk, ToolAction, ToolContext, ToolError,
};
use serde::{Serialize, Serializer, ser::Error};
use serde_json::{Number, Value};
use wasm_bindgen::{JsCast, JsError, JsValue};

use crate::{
    context::RunningHandler, drawing::DrawFunction, function::PageFunction, views::DrawnView,
    window_options::get_property,
};

/// Creates an action from a definition that `npm/action.js` has validated. Fails if the definition
/// is not JSON.
pub(crate) fn build_action(
    definition: &str,
    functions: &PageFunctions,
) -> Result<ToolAction, JsError> {
    let fields: Value = serde_json::from_str(definition)?;
    let read_text = |name| text_or_empty(fields.get(name));
    let mut action = ToolAction::new(read_text("name"), read_text("description"));
    if let Some(schema) = fields.get("parameters") {
        action = action.parameters(schema.clone());
    }
    action = with_flags(action, &fields);
    action = with_texts(action, &fields);
    action = with_bounds(action, &fields);
    Ok(with_functions(action, &fields, functions))
}

/// A method of an action's builder that sets a flag.
type FlagSetter = fn(ToolAction) -> ToolAction;

fn with_flags(mut action: ToolAction, fields: &Value) -> ToolAction {
    let flags: [(&str, FlagSetter); 12] = [
        ("onlyUserApproves", ToolAction::only_user_approves),
        ("alwaysAsk", ToolAction::always_ask),
        ("renderOnly", ToolAction::render_only),
        ("runByAgent", ToolAction::run_by_agent),
        ("exclusive", ToolAction::exclusive),
        ("eager", ToolAction::eager),
        ("idempotent", ToolAction::idempotent),
        ("detached", ToolAction::detached),
        ("alwaysOffered", ToolAction::always_offered),
        ("textResult", ToolAction::text_result),
        ("streamArgs", ToolAction::stream_args),
        ("unchecked", ToolAction::unchecked),
    ];
    for (name, set) in flags {
        if fields[name] == Value::Bool(true) {
            action = set(action);
        }
    }
    action
}

fn with_texts(mut action: ToolAction, fields: &Value) -> ToolAction {
    if let Some(title) = fields["title"].as_str() {
        action = action.title(title.to_owned());
    }
    if let Some(title) = fields["titleWhileRunning"].as_str() {
        action = action.title_while_running(title.to_owned());
    }
    if let Some(version) = fields["version"].as_str() {
        action = action.version(version);
    }
    if let Some(names) = to_text_list(&fields["tags"]) {
        action = action.tags(names);
    }
    match fields["risk"].as_str() {
        Some("plain") => action.risk(Risk::Plain),
        Some("danger") => action.risk(Risk::Danger),
        _ => action,
    }
}

fn with_bounds(mut action: ToolAction, fields: &Value) -> ToolAction {
    if let Some(names) = to_text_list(&fields["rememberFor"]) {
        action = action.remember_for(names);
    }
    if let Some(max_uses) = fields.get("rememberUses").and_then(as_u32) {
        action = action.remember_uses(max_uses);
    }
    if let Some(ms) = fields["rememberLasts"].as_u64() {
        action = action.remember_lasts(Duration::from_millis(ms));
    }
    for (pointer, max) in fields["rememberUpTo"].as_object().into_iter().flatten() {
        if let Some(max) = max.as_number() {
            action = action.remember_up_to(pointer, Number::clone(max));
        }
    }
    if let Some(ms) = fields.get("timeoutMs").and_then(as_u32) {
        action = action.timeout_ms(ms);
    }
    let read_limit = |pointer| fields.pointer(pointer).and_then(as_u32);
    let mut bounds = CallLimits::default();
    if let (Some(count), Some(ms)) = (read_limit("/limits/calls/0"), read_limit("/limits/calls/1"))
    {
        bounds = bounds.calls(count, ms);
    }
    if let Some(count) = read_limit("/limits/concurrent") {
        bounds = bounds.concurrent(count);
    }
    if let Some(count) = read_limit("/limits/perRun") {
        bounds = bounds.per_run(count);
    }
    action.limits(bounds)
}

fn with_functions(mut action: ToolAction, fields: &Value, functions: &PageFunctions) -> ToolAction {
    if let Some(description) = functions.get_function("description") {
        action = action.description(move || {
            description
                .call_without_args::<String>()
                .unwrap_or_default()
        });
    }
    if let Some(schema) = functions.get_function("parameters") {
        action = action.parameters(move || schema.call_without_args::<Value>().unwrap_or_default());
    }
    match functions.get_function("enabled") {
        // The action is not offered if the function that computes its condition fails.
        Some(enabled) => {
            action = action.enabled(move || enabled.call_without_args().unwrap_or(false));
        }
        None => action = action.enabled(fields["enabled"] != Value::Bool(false)),
    }
    if let Some(handler) = functions.get_function("handler") {
        action = action.handler(move |args: Value, context: ToolContext| {
            run_handler(handler.clone(), args, context)
        });
    }
    action = action.approval(approval_rule(fields, functions));
    if let Some(permission) = functions.get_function("permission") {
        action = action.permission(move |args: Value| {
            check_permission(permission.clone(), args, JsValue::UNDEFINED)
        });
    }
    if let Some(describe) = functions.get_function("describe") {
        action = action.describe(move |args: &Value| describe_call(&describe, args));
    }
    if let Some(denial) = functions.get_function("denial") {
        action = action.denial(move |args: &Value, reason| {
            let reason = reason.map_or(Value::Null, Value::from);
            DenialResult(denial.call_sync(args, &reason).ok())
        });
    }
    if let Some(sanitize) = functions.get_function("sanitize") {
        // If the function fails, the arguments become null, which the schema rejects.
        action = action.sanitize(move |args| {
            *args = sanitize.call_sync(args, &Value::Null).unwrap_or_default();
        });
    }
    if let Some(preview) = functions.get_function("preview") {
        action = action.preview(move |args: Value| {
            let preview = preview.clone();
            async move {
                preview
                    .call_async(&args)
                    .await
                    .map_err(ToolError::into_message)
            }
        });
    }
    if let Some(card) = functions.get_draw_function("render") {
        action = action.render(move |call| card.draw(DrawnView::call(call), false));
    }
    if let Some(card) = functions.get_draw_function("renderApproval") {
        action = action.render_approval(move |call| card.draw(DrawnView::call(call), true));
    }
    action
}

async fn run_handler(
    handler: PageFunction,
    args: Value,
    context: ToolContext,
) -> Result<Value, ToolError> {
    crate::wait_if_stopped().await;
    let running_handler = RunningHandler::begin(context);
    let answer = handler
        .call_async_with(&args, running_handler.context())
        .await;
    crate::wait_if_stopped().await;
    running_handler.end();
    answer
}

/// Returns the approval rule. If the rule is a function, approval is required unless the function
/// returns `false`. If the rule is a text, approval is required unless the text is `never`.
fn approval_rule(fields: &Value, functions: &PageFunctions) -> Approval {
    match (
        functions.get_function("approval"),
        fields["approval"].as_str(),
    ) {
        (Some(rule), _) => Approval::When(Box::new(move |args| {
            let rule = rule.clone();
            Box::pin(async move { rule.call_async(&args).await != Ok(Value::Bool(false)) })
        })),
        (None, None | Some("never")) => Approval::Never,
        (None, Some(_)) => Approval::Always,
    }
}

/// Calls the permission rule. Fails unless the rule returns `true`. If the rule returns a text, the
/// text is the reason for the failure.
pub(crate) async fn check_permission(
    rule: PageFunction,
    args: Value,
    name: JsValue,
) -> Result<(), String> {
    crate::wait_if_stopped().await;
    match rule.call_async_with(&args, name).await {
        Ok(Value::Bool(true)) => Ok(()),
        Ok(Value::String(reason)) => Err(reason),
        Ok(_) => Err("The page does not permit it".to_owned()),
        Err(error) => Err(error.into_message()),
    }
}

/// Returns the description of a call for the card. The page's function returns the description as
/// `[sentence, [[name, value], …]]`. If the description is empty or the function fails, the card
/// shows the arguments.
fn describe_call(describe: &PageFunction, args: &Value) -> Description {
    let answer = describe.call_sync(args, &Value::Null).unwrap_or_default();
    let description = Description::new(text_or_empty(answer.get(0)));
    let rows = answer.get(1).and_then(Value::as_array);
    rows.into_iter().flatten().fold(description, |all, row| {
        all.row(text_or_empty(row.get(0)), text_or_empty(row.get(1)))
    })
}

/// The result of a denied call, as the page returned it. Serialization fails if the page returned
/// no result, in which case the default result is sent.
struct DenialResult(Option<Value>);

impl Serialize for DenialResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(value) => value.serialize(serializer),
            None => Err(S::Error::custom("the page gave no result")),
        }
    }
}

fn text_or_empty(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn to_text_list(list: &Value) -> Option<Vec<String>> {
    let texts = list.as_array()?.iter();
    Some(texts.filter_map(Value::as_str).map(str::to_owned).collect())
}

fn as_u32(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

/// The functions of an action's definition by field name, as wrapped by `npm/action.js`.
pub(crate) struct PageFunctions {
    object: JsValue,
    exact_numbers: bool,
}

impl PageFunctions {
    pub(crate) const fn new(object: JsValue, exact_numbers: bool) -> Self {
        Self {
            object,
            exact_numbers,
        }
    }

    /// Returns the drawing function in the field `name`, if any.
    pub(crate) fn get_draw_function(&self, name: &str) -> Option<DrawFunction> {
        let draw = get_property(&self.object, name).dyn_into().ok()?;
        Some(DrawFunction::new(draw))
    }

    pub(crate) fn get_function(&self, name: &str) -> Option<PageFunction> {
        let function = get_property(&self.object, name).dyn_into().ok()?;
        Some(PageFunction::new(function, self.exact_numbers))
    }
}
