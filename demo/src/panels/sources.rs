//! Renders the data sources panel, and defines the actions `selectDataSource` and `analyzing_data`.
//! `analyzing_data` only renders calls that an agent runs itself.

use leptos::prelude::*;
use leptos_assistant::{
    Icon, Status, ToolAction, ToolCallView, ToolContext, ToolError, use_assistant_action,
    use_assistant_context,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    browser::focus_in_next_frame,
    cards::{LineIcon, card, line, progress_bar, reason, toned_line},
    page_icons::PageIcon,
    sample_data::{self, SOURCES},
    state::{ASSISTANT, Harbor, USER},
};

#[component]
pub(crate) fn Sources(harbor: Harbor) -> impl IntoView {
    use_assistant_action(select_data_source(harbor));
    use_assistant_action(analyzing_data());
    let selected_source = Signal::derive(move || harbor.source.get().to_owned());
    use_assistant_context("The selected data source", selected_source);
    let options = SOURCES.iter().map(|source| {
        let name = source.name;
        let choose = move |_| {
            harbor.source.set(name);
            harbor.add_entry(format!("Data source {name} selected"), USER);
        };
        view! {
            <label class="demo-source" data-changed=move || harbor.changed_attribute(name)>
                <input
                    type="radio"
                    name="source"
                    value=name
                    prop:checked=move || harbor.source.get() == name
                    on:change=choose
                />
                <span class="demo-row-main">
                    <span class="demo-row-name">{name}</span>
                    <br />
                    <span class="demo-row-text">{format!("{}, {}", source.kind, source.extent)}</span>
                </span>
            </label>
        }
    });
    view! {
        <section class="demo-panel" aria-labelledby="sources-title">
            <div class="demo-panel-head">
                <h3 class="demo-panel-title" id="sources-title">{"Data source"}</h3>
            </div>
            <fieldset class="demo-sources" aria-labelledby="sources-title">
                {options.collect_view()}
            </fieldset>
        </section>
    }
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SelectionArgs {
    #[serde(default)]
    data_types: Vec<String>,
}

impl SelectionArgs {
    fn describe_data_types(&self) -> String {
        if self.data_types.is_empty() {
            "any kind of data".to_owned()
        } else {
            self.data_types.join(", ")
        }
    }
}

/// A data source in the form in which the agent receives it.
#[derive(Clone, Serialize, Deserialize)]
struct Choice {
    name: String,
    #[serde(rename = "type")]
    kind: String,
}

fn select_data_source(harbor: Harbor) -> ToolAction<SelectionArgs> {
    ToolAction::new(
        "selectDataSource",
        "Let user select from available data sources",
    )
    .parameters(json!({
        "type": "object",
        "properties": {
            "dataTypes": {"type": "array", "items": {"type": "string"}}
        }
    }))
    .handler(move |args: SelectionArgs, ctx| ask_for_data_source(harbor, args, ctx))
    .render(choice_card)
}

async fn ask_for_data_source(
    harbor: Harbor,
    args: SelectionArgs,
    ctx: ToolContext,
) -> Result<Option<Choice>, ToolError> {
    let available_sources: Vec<Choice> = sample_data::sources(&args.data_types)
        .map(|source| Choice {
            name: source.name.to_owned(),
            kind: source.kind.to_owned(),
        })
        .collect();
    if available_sources.is_empty() {
        let text = format!("No data source for {}", args.describe_data_types());
        ctx.preliminary(&available_sources);
        harbor.add_entry(text, ASSISTANT);
        return Ok(None);
    }
    let answer: Option<Choice> = ctx.ask(&available_sources).await?;
    if let Some(choice) = &answer
        && let Some(source) = SOURCES.iter().find(|source| source.name == choice.name)
    {
        harbor.source.set(source.name);
        harbor.mark(source.name);
        harbor.add_entry(format!("Data source {} selected", source.name), USER);
    }
    Ok(answer)
}

fn choice_card(call: ToolCallView<SelectionArgs>) -> impl IntoView {
    let title_id = format!("choice-{}", call.id());
    move || {
        let data_types = call
            .args()
            .map_or_else(String::new, |args| args.describe_data_types());
        match call.status() {
            Status::Pending => line(LineIcon::Busy, "Preparing a choice…"),
            Status::Executing => match call.preliminary::<Vec<Choice>>() {
                Some(available_sources) if !available_sources.is_empty() => {
                    choices(&call, &title_id, available_sources)
                }
                _ => {
                    let text = format!("Loading available data sources for {data_types}…");
                    line(LineIcon::Busy, text)
                }
            },
            Status::Complete => match call.result::<Choice>() {
                Some(choice) => line(
                    LineIcon::Page(PageIcon::Database),
                    format!("Selected: {} ({})", choice.name, choice.kind),
                ),
                None if call
                    .preliminary::<Vec<Choice>>()
                    .is_some_and(|list| list.is_empty()) =>
                {
                    let text = format!("No data source is available for {data_types}");
                    toned_line("warning", Icon::Info, text)
                }
                None => toned_line("neutral", Icon::X, "No data source selected"),
            },
            Status::Failed => {
                let text = format!("No data source selected: {}", reason(call.error()));
                line(LineIcon::Icon(Icon::Ban), text)
            }
        }
    }
}

fn choices(
    call: &ToolCallView<SelectionArgs>,
    title_id: &str,
    available_sources: Vec<Choice>,
) -> AnyView {
    let options = available_sources.into_iter().map(|choice| {
        let (call, answer) = (*call, choice.clone());
        let choose = move |_| {
            call.reply(&answer);
            // The composer is focused, because the focused button is removed with its card.
            focus_in_next_frame(".la-composer-input");
        };
        view! {
            <li>
                <button type="button" class="la-choice-option" on:click=choose>
                    {PageIcon::Database.view()}
                    <span class="la-choice-name">{choice.name}</span>
                    <span class="la-choice-kind">{choice.kind}</span>
                </button>
            </li>
        }
    });
    let cancel = {
        let call = *call;
        move |_| {
            call.reply(Value::Null);
            focus_in_next_frame(".la-composer-input");
        }
    };
    view! {
        <div class="la-card" role="group" aria-labelledby=title_id.to_owned()>
            <div class="la-card-body">
                <p class="la-card-title" id=title_id.to_owned()>"Choose a data source"</p>
                <ul class="la-choice-list">{options.collect_view()}</ul>
                <div class="la-choice-actions">
                    <button
                        type="button"
                        class="la-button"
                        data-variant="quiet"
                        data-size="small"
                        on:click=cancel
                    >
                        <span>{"Cancel"}</span>
                    </button>
                </div>
            </div>
        </div>
    }
    .into_any()
}

/// The arguments of an analysis. `progress` is a percentage or a list of the percentages so far.
/// The list grows while the arguments stream in.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnalysisArgs {
    data_source: Option<String>,
    progress: Option<Value>,
}

impl AnalysisArgs {
    fn percent(&self) -> Option<f64> {
        let progress = self.progress.as_ref()?;
        let newest_value = progress
            .as_array()
            .map_or(Some(progress), |list| list.last());
        newest_value?
            .as_f64()
            .map(|percent| percent.clamp(0.0, 100.0))
    }
}

fn analyzing_data() -> ToolAction<AnalysisArgs> {
    ToolAction::new("analyzing_data", "Analyzing data patterns")
        .render_only()
        .stream_args()
        .args::<AnalysisArgs>()
        .render(analysis_card)
}

fn analysis_card(call: ToolCallView<AnalysisArgs>) -> impl IntoView {
    move || {
        let args = call.args();
        let source = args.as_ref().and_then(|args| args.data_source.clone());
        let source = source.unwrap_or_else(|| "data".to_owned());
        match call.status() {
            Status::Pending | Status::Executing => {
                let percent = args.and_then(|args| args.percent());
                let label = format!("Analyzing {source}…");
                let value = percent.map(|percent| format!("{percent:.0}%"));
                card(view! {
                    <div class="la-progress-row">
                        <span>{label.clone()}</span>
                        <span class="la-progress-value">{value}</span>
                    </div>
                    {progress_bar(label, percent)}
                })
            }
            Status::Complete => line(
                LineIcon::Icon(Icon::Check),
                format!("Analysis complete for {source}"),
            ),
            Status::Failed => {
                let text = format!("Analysis of {source} failed: {}", reason(call.error()));
                line(LineIcon::Icon(Icon::Alert), text)
            }
        }
    }
}
