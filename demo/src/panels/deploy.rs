//! Defines the action `deployApplication`, which deploys a version to an environment. The action is
//! enabled while the switch in the environments panel is on. Deployments to production require
//! approval.

use std::time::Duration;

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Description, Icon, Risk, Status, ToolAction, ToolCallView, ToolError,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    browser::time_of_day,
    cards::{LineIcon, line, reason},
    page_icons::PageIcon,
    state::{ASSISTANT, ASSISTANT_WITH_APPROVAL, Environment, Harbor, Lane, LaneStatus},
};

/// The duration of a rollout. One second in the demo represents one minute.
const ROLLOUT_DURATION: Duration = Duration::from_secs(5);

#[derive(Clone, Deserialize)]
pub(super) struct DeployArgs {
    environment: String,
    version: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Deployment {
    deployment_id: String,
    status: String,
    estimated_time: String,
}

pub(super) fn action(harbor: Harbor) -> ToolAction<DeployArgs> {
    ToolAction::new(
        "deployApplication",
        "Deploy the application to a target environment",
    )
    .parameters(json!({
        "type": "object",
        "properties": {
            "environment": {"type": "string", "enum": ["dev", "staging", "production"]},
            "version": {"type": "string"}
        },
        "required": ["environment", "version"]
    }))
    .enabled(harbor.may_deploy)
    .approval(Approval::when(|args: &serde_json::Value| {
        args.get("environment").and_then(|env| env.as_str()) == Some("production")
    }))
    .remember_for(["environment"])
    .handler(move |args: DeployArgs| async move { start_deployment(harbor, &args) })
    .preview(move |args: DeployArgs| async move { preview_change(harbor, &args) })
    .title("Deploy")
    .title_while_running("Deploying")
    .risk(Risk::Danger)
    .describe(|args| {
        Description::new(format!("Deploy {} to {}?", args.version, args.environment))
            .row("Environment", &args.environment)
            .row("Version", &args.version)
    })
    .render(deploy_card)
}

/// Returns the preview of a deployment, which contains the current and the new version. Fails if
/// the environment is unknown.
fn preview_change(harbor: Harbor, args: &DeployArgs) -> Result<String, String> {
    let Some(env) = Environment::parse(&args.environment) else {
        return Err(format!(
            "There is no environment called {}",
            args.environment
        ));
    };
    let current_version = harbor.lane(env).with_untracked(|lane| lane.version.clone());
    Ok(format!(
        "{}: {current_version} → {}",
        env.title(),
        args.version
    ))
}

fn start_deployment(harbor: Harbor, args: &DeployArgs) -> Result<Deployment, ToolError> {
    let Some(env) = Environment::parse(&args.environment) else {
        let message = format!("There is no environment called {}", args.environment);
        return Err(ToolError::new(message).suggestion("Use dev, staging or production"));
    };
    let number = harbor.take_number();
    harbor.lane(env).set(Lane {
        version: args.version.clone(),
        status: LaneStatus::RollingOut(number),
        since: format!("started at {}", time_of_day()),
    });
    harbor.mark(env.key());
    let author = match env {
        Environment::Production => ASSISTANT_WITH_APPROVAL,
        Environment::Dev | Environment::Staging => ASSISTANT,
    };
    let env_title = env.title().to_lowercase();
    harbor.add_entry(
        format!("Deployment of {} to {env_title} started", args.version),
        author,
    );
    set_timeout(
        move || complete_rollout(harbor, env, number),
        ROLLOUT_DURATION,
    );
    Ok(Deployment {
        deployment_id: format!("dep-{number}"),
        status: "initiated".to_owned(),
        estimated_time: "5 minutes".to_owned(),
    })
}

/// Completes a rollout. Does nothing if another deployment has replaced the rollout.
fn complete_rollout(harbor: Harbor, env: Environment, number: u64) {
    let lane = harbor.lane(env);
    if lane.with_untracked(|lane| lane.status == LaneStatus::RollingOut(number)) {
        lane.update(|lane| {
            lane.status = LaneStatus::Healthy;
            lane.since = format!("deployed at {}", time_of_day());
        });
    }
}

fn deploy_card(call: ToolCallView<DeployArgs>) -> impl IntoView {
    move || {
        let subject = call.args().map_or_else(
            || "a deployment".to_owned(),
            |args| format!("deployment of {} to {}", args.version, args.environment),
        );
        match call.status() {
            Status::Pending => line(LineIcon::Busy, format!("Preparing {subject}…")),
            Status::Executing => line(LineIcon::Busy, format!("Starting {subject}…")),
            Status::Complete => {
                let text = call.result::<Deployment>().map_or_else(
                    || "Deployment started".to_owned(),
                    |done| {
                        format!(
                            "Started {subject}: {}, {}",
                            done.deployment_id, done.estimated_time
                        )
                    },
                );
                line(LineIcon::Page(PageIcon::Rocket), text)
            }
            Status::Failed => {
                let message = reason(call.error());
                line(
                    LineIcon::Icon(Icon::Ban),
                    format!("No {subject}: {message}"),
                )
            }
        }
    }
}
