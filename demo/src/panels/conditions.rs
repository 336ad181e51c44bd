//! Renders the weather panel, and defines the action `get_weather`. The action requires approval
//! each time, because it shares a location.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Description, Icon, Status, ToolAction, ToolCallView, ToolError, use_assistant_action,
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    browser::{sleep, time_of_day},
    cards::{LineIcon, line, reason},
    page_icons::PageIcon,
    sample_data,
    state::{ASSISTANT_WITH_APPROVAL, Harbor, Weather},
};

/// The duration of a weather lookup, in milliseconds.
const LOOKUP_MS: i32 = 400;

#[component]
pub(crate) fn Conditions(harbor: Harbor) -> impl IntoView {
    use_assistant_action(get_weather(harbor));
    let body = move || match harbor.weather.get() {
        None => view! {
            <p class="demo-empty">{"No place shared yet. Ask the assistant for the weather."}</p>
        }
        .into_any(),
        Some(weather) => view! {
            <div class="demo-weather" data-changed=move || harbor.changed_attribute("weather")>
                <p class="demo-weather-value">{format!("{}°", weather.degrees)}</p>
                <p class="demo-weather-facts">
                    {format!("{}, {}", weather.sky, weather.wind)} <br />
                    {format!("{}, at {}", weather.place, weather.time)}
                </p>
            </div>
        }
        .into_any(),
    };
    view! {
        <section class="demo-panel" aria-labelledby="conditions-title">
            <div class="demo-panel-head">
                <h3 class="demo-panel-title" id="conditions-title">{"Conditions"}</h3>
            </div>
            {body}
        </section>
    }
}

#[derive(Clone, Deserialize)]
struct WeatherArgs {
    location: String,
}

fn get_weather(harbor: Harbor) -> ToolAction<WeatherArgs> {
    ToolAction::new("get_weather", "Look up the current weather at a place")
        .parameters(json!({
            "type": "object",
            "properties": {
                "location": {"type": "string", "description": "The city or port"}
            },
            "required": ["location"]
        }))
        .approval(Approval::Always)
        .handler(move |args: WeatherArgs| look_up_weather(harbor, args.location))
        .title("Look up the weather")
        .title_while_running("Looking up the weather")
        .describe(|args| Description::new("Look up the weather?").row("Place", &args.location))
        .render(weather_card)
}

async fn look_up_weather(harbor: Harbor, place: String) -> Result<String, ToolError> {
    sleep(LOOKUP_MS).await;
    let (degrees, sky, wind) = sample_data::weather(&place);
    let text = format!("{degrees} °C in {place}, {}, {wind}", sky.to_lowercase());
    harbor.add_entry(
        format!("Looked up the weather in {place}"),
        ASSISTANT_WITH_APPROVAL,
    );
    harbor.weather.set(Some(Weather {
        place,
        degrees,
        sky,
        wind,
        time: time_of_day(),
    }));
    harbor.mark("weather");
    Ok(text)
}

fn weather_card(call: ToolCallView<WeatherArgs>) -> impl IntoView {
    move || {
        let place = call
            .args()
            .map_or_else(|| "your place".to_owned(), |args| args.location);
        match call.status() {
            Status::Pending => line(LineIcon::Busy, "Preparing to look up the weather…"),
            Status::Executing => line(
                LineIcon::Busy,
                format!("Looking up the weather in {place}…"),
            ),
            Status::Complete => {
                let text = call.result::<String>().unwrap_or_default();
                line(LineIcon::Page(PageIcon::Cloud), text)
            }
            Status::Failed => {
                let text = format!("No weather for {place}: {}", reason(call.error()));
                line(LineIcon::Icon(Icon::Ban), text)
            }
        }
    }
}
