//! Defines the action `deployment_process`, which deploys a version in five stages. The handler
//! reports its progress, which the environment's lane and the call's card show.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Icon, Phase, Status, ToolAction, ToolCallView, ToolContext, ToolError,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    browser::{sleep, time_of_day},
    cards::{LineIcon, card, line, reason, toned_line},
    state::{ASSISTANT, ASSISTANT_WITH_APPROVAL, Environment, Harbor, Lane, LaneStatus},
};

pub(super) const STAGES: [&str; 5] = [
    "Validating",
    "Building",
    "Testing",
    "Deploying",
    "Verifying",
];

/// The duration of a deployment stage, in milliseconds.
const STAGE_MS: i32 = 900;
/// The duration of a stage for the version "slow", in milliseconds. It is long enough for the user
/// to stop the deployment.
const SLOW_STAGE_MS: i32 = 6_000;

#[derive(Clone, Deserialize)]
pub(super) struct ProcessArgs {
    environment: Option<String>,
    version: Option<String>,
}

impl ProcessArgs {
    fn environment(&self) -> String {
        self.environment
            .clone()
            .unwrap_or_else(|| "staging".to_owned())
    }

    fn version(&self) -> String {
        self.version
            .clone()
            .unwrap_or_else(|| "the newest version".to_owned())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProcessResult {
    success: bool,
    deployment_id: String,
}

pub(super) fn action(harbor: Harbor) -> ToolAction<ProcessArgs> {
    ToolAction::new(
        "deployment_process",
        "Deploy application through multiple stages",
    )
    .parameters(json!({
        "type": "object",
        "properties": {
            "environment": {"type": "string"},
            "version": {"type": "string"}
        }
    }))
    .enabled(harbor.may_deploy)
    .approval(Approval::when(|args: &serde_json::Value| {
        let env = args.get("environment").and_then(|env| env.as_str());
        env.and_then(Environment::parse) == Some(Environment::Production)
    }))
    .handler(move |args: ProcessArgs, ctx| run_stages(harbor, args, ctx))
    .render(process_card)
}

async fn run_stages(
    harbor: Harbor,
    args: ProcessArgs,
    ctx: ToolContext,
) -> Result<ProcessResult, ToolError> {
    let (env_name, version) = (args.environment(), args.version());
    let Some(env) = Environment::parse(&env_name) else {
        let message = format!("There is no environment called {env_name}");
        return Err(ToolError::new(message).suggestion("Use dev, staging or production"));
    };
    let mut lane = LaneGuard::new(harbor, env, version.clone())?;
    let stage_ms = if version == "slow" {
        SLOW_STAGE_MS
    } else {
        STAGE_MS
    };
    let count = STAGES.len();
    for (index, stage) in STAGES.into_iter().enumerate() {
        lane.show_stage(index + 1);
        #[allow(clippy::cast_precision_loss, reason = "there are five stages")]
        ctx.progress(index as f64 / count as f64, stage);
        sleep(stage_ms).await;
    }
    let deployment_id = format!("dep-{}", harbor.take_number());
    lane.finish();
    Ok(ProcessResult {
        success: true,
        deployment_id,
    })
}

/// A guard for the lane to which a version is deployed. If the guard is dropped before `finish` is
/// called, for example because the handler is stopped, the guard marks the lane as healthy again
/// and restores its previous version.
struct LaneGuard {
    harbor: Harbor,
    env: Environment,
    version: String,
    is_finished: bool,
}

impl LaneGuard {
    fn new(harbor: Harbor, env: Environment, version: String) -> Result<Self, ToolError> {
        let is_busy = harbor
            .lane(env)
            .with_untracked(|lane| matches!(lane.status, LaneStatus::Stage { .. }));
        if is_busy {
            let message = format!("Another deployment to {} is under way", env.key());
            return Err(ToolError::new(message).suggestion("Wait until it is over"));
        }
        Ok(Self {
            harbor,
            env,
            version,
            is_finished: false,
        })
    }

    fn show_stage(&self, step: usize) {
        let version = self.version.clone();
        self.harbor
            .lane(self.env)
            .update(|lane| lane.status = LaneStatus::Stage { version, step });
    }

    fn finish(&mut self) {
        self.is_finished = true;
        self.harbor.lane(self.env).set(Lane {
            version: self.version.clone(),
            status: LaneStatus::Healthy,
            since: format!("deployed at {}", time_of_day()),
        });
        let author = match self.env {
            Environment::Production => ASSISTANT_WITH_APPROVAL,
            Environment::Dev | Environment::Staging => ASSISTANT,
        };
        self.report("deployed to", author);
    }

    fn report(&self, event: &str, author: &'static str) {
        let env_title = self.env.title().to_lowercase();
        self.harbor.mark(self.env.key());
        self.harbor.add_entry(
            format!("Version {} {event} {env_title}", self.version),
            author,
        );
    }
}

impl Drop for LaneGuard {
    fn drop(&mut self) {
        if !self.is_finished {
            self.harbor
                .lane(self.env)
                .update(|lane| lane.status = LaneStatus::Healthy);
            self.report("stopped on its way to", ASSISTANT);
        }
    }
}

fn process_card(call: ToolCallView<ProcessArgs>) -> impl IntoView {
    move || {
        let Some(args) = call.args() else {
            return line(LineIcon::Busy, "Preparing the deployment…");
        };
        let status = call.status();
        let stage = call.progress();
        let stage = stage.as_ref().and_then(|progress| progress.text());
        let reached_stage = stage.and_then(|stage| STAGES.iter().position(|name| *name == stage));
        let outcome_line = match status {
            Status::Pending | Status::Executing => None,
            Status::Complete => {
                let id = call
                    .result::<ProcessResult>()
                    .map(|done| done.deployment_id)
                    .unwrap_or_default();
                let text = format!("Deployment {id} completed successfully");
                Some(toned_line("ok", Icon::Check, text))
            }
            Status::Failed if call.phase() == Phase::OutputDenied => {
                Some(toned_line("neutral", Icon::Ban, "Deployment denied"))
            }
            Status::Failed if call.phase() == Phase::Cancelled => {
                Some(toned_line("neutral", Icon::Ban, "Deployment stopped"))
            }
            Status::Failed => {
                let text = format!("Deployment failed: {}", reason(call.error()));
                Some(toned_line("error", Icon::Alert, text))
            }
        };
        card(view! {
            <p class="la-card-title">
                {format!("Deploying {} to {}", args.version(), args.environment())}
            </p>
            {stepper(call.phase(), reached_stage)}
            {outcome_line}
        })
    }
}

fn stepper(phase: Phase, reached_stage: Option<usize>) -> impl IntoView {
    let steps = STAGES.into_iter().enumerate().map(|(index, stage)| {
        let (state, word) = match (phase, reached_stage) {
            (Phase::OutputAvailable, _) => ("done", "done"),
            (_, Some(at)) if index < at => ("done", "done"),
            (Phase::OutputError, Some(at)) if index == at => ("failed", "failed"),
            (Phase::Running, Some(at)) if index == at => ("current", "in progress"),
            _ => ("todo", "to do"),
        };
        let step_icon = match state {
            "done" => Some(Icon::Check.view()),
            "failed" => Some(Icon::X.view()),
            _ => None,
        };
        view! {
            <li
                class="la-step"
                data-state=state
                aria-current=(state == "current").then_some("step")
            >
                <span class="la-step-mark" aria-hidden="true">{step_icon}</span>
                <span>{stage}<span class="la-visually-hidden">{format!(", {word}")}</span></span>
            </li>
        }
    });
    view! { <ol class="la-stepper">{steps.collect_view()}</ol> }
}
