//! Renders the environments panel, with a lane for each environment and the switch that permits the
//! assistant to deploy. The actions are in `deploy` and `stages`.

use leptos::prelude::*;
use leptos_assistant::{use_assistant_action, use_assistant_context};

use super::{deploy, stages};
use crate::state::{Environment, Harbor, LaneStatus};

#[component]
pub(crate) fn Environments(harbor: Harbor) -> impl IntoView {
    use_assistant_action(deploy::action(harbor));
    use_assistant_action(stages::action(harbor));
    let versions = Signal::derive(move || {
        let lanes = Environment::ALL.map(|env| {
            format!(
                "{}: {}",
                env.key(),
                harbor.lane(env).with(|lane| lane.version.clone())
            )
        });
        lanes.join(", ")
    });
    use_assistant_context("What runs in each environment", versions);
    let toggle = move |_| harbor.may_deploy.update(|may| *may = !*may);
    let lanes = Environment::ALL.map(|env| view! { <LaneView harbor env /> });
    view! {
        <section class="demo-panel demo-environments" aria-labelledby="environments-title">
            <div class="demo-panel-head">
                <h3 class="demo-panel-title" id="environments-title">{"Environments"}</h3>
                <div class="demo-switch-row">
                    <span class="demo-switch-label" id="may-deploy" on:click=toggle>
                        "The assistant may deploy"
                    </span>
                    <button
                        type="button"
                        class="demo-switch"
                        role="switch"
                        aria-checked=move || harbor.may_deploy.get().to_string()
                        aria-labelledby="may-deploy"
                        on:click=toggle
                    ></button>
                </div>
            </div>
            <ul class="demo-lanes">{lanes.into_iter().collect_view()}</ul>
        </section>
    }
}

#[component]
fn LaneView(harbor: Harbor, env: Environment) -> impl IntoView {
    let lane = harbor.lane(env);
    let version = move || lane.with(|lane| lane.version.clone());
    let status_text = move || {
        lane.with(|lane| {
            let (tone, label, detail) = match &lane.status {
                LaneStatus::Healthy => ("ok", "Healthy", lane.since.clone()),
                LaneStatus::RollingOut(_) => ("busy", "Rolling out", lane.since.clone()),
                LaneStatus::Stage { version, step } => (
                    "busy",
                    "Deploying",
                    format!("{version}, step {step} of {}", stages::STAGES.len()),
                ),
            };
            view! {
                <span class="demo-state" data-tone=tone>{label}</span>
                <span>{detail}</span>
            }
        })
    };
    let step = Memo::new(move |_| {
        lane.with(|lane| match lane.status {
            LaneStatus::Stage { step, .. } => Some(step),
            LaneStatus::Healthy | LaneStatus::RollingOut(_) => None,
        })
    });
    let progress_bar = move || {
        step.get().map(|step| {
            view! {
                <progress
                    class="la-progress"
                    max=stages::STAGES.len().to_string()
                    value=step.to_string()
                    aria-label=format!("Deploying to {}", env.title())
                ></progress>
            }
        })
    };
    view! {
        <li
            class="demo-lane"
            data-environment=env.key()
            data-changed=move || harbor.changed_attribute(env.key())
        >
            <h4 class="demo-lane-name">
                <span class="demo-flag" data-flag=env.flag() aria-hidden="true"></span>
                {env.title()}
            </h4>
            <p class="demo-lane-version">{version}</p>
            <p class="demo-lane-meta">{status_text}</p>
            {progress_bar}
        </li>
    }
}
