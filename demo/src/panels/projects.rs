//! Renders the projects panel, and defines the action `confirmDeletion`.

use leptos::prelude::*;
use leptos_assistant::{
    ConfirmOptions, Icon, Status, ToolAction, ToolCallView, ToolContext, ToolError,
    use_assistant_action, use_assistant_context,
};
use serde::Deserialize;
use serde_json::json;

use crate::{
    cards::{LineIcon, line, reason, toned_line},
    page_icons::PageIcon,
    state::{ASSISTANT, ASSISTANT_WITH_APPROVAL, Harbor, PageSide},
};

#[component]
pub(crate) fn Projects(
    harbor: Harbor,
    project_to_delete: RwSignal<Option<String>>,
) -> impl IntoView {
    use_assistant_action(confirm_deletion(harbor));
    let projects = harbor.projects;
    let names = move || {
        projects.with(|list| {
            let names: Vec<_> = list.iter().map(|project| project.name.as_str()).collect();
            names.join(", ")
        })
    };
    use_assistant_context("The projects on the page", Signal::derive(names));
    let note = move || match projects.with(Vec::len) {
        1 => "1 project".to_owned(),
        count => format!("{count} projects"),
    };
    let row = move |name: String, text: &'static str| {
        let label = format!("Delete {name}");
        let open_dialog = {
            let name = name.clone();
            move |_| project_to_delete.set(Some(name.clone()))
        };
        view! {
            <li class="demo-row">
                <div class="demo-row-main">
                    <p class="demo-row-name">{name}</p>
                    <p class="demo-row-text">{text}</p>
                </div>
                <button
                    type="button"
                    class="la-button"
                    data-variant="quiet"
                    data-shape="icon"
                    aria-label=label
                    on:click=open_dialog
                >
                    {PageIcon::Trash.view()}
                </button>
            </li>
        }
    };
    view! {
        <section class="demo-panel" aria-labelledby="projects-title">
            <div class="demo-panel-head">
                <h3 class="demo-panel-title" id="projects-title" tabindex="-1">{"Projects"}</h3>
                <p class="demo-panel-note">{note}</p>
            </div>
            <Show
                when=move || !projects.with(Vec::is_empty)
                fallback=|| view! { <p class="demo-empty">{"No projects are left."}</p> }
            >
                <ul class="demo-rows">
                    <For
                        each=move || projects.get()
                        key=|project| project.name.clone()
                        children=move |project| row(project.name, project.text)
                    />
                </ul>
            </Show>
        </section>
    }
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DeletionArgs {
    resource_type: String,
    resource_name: String,
}

fn confirm_deletion(harbor: Harbor) -> ToolAction<DeletionArgs> {
    ToolAction::new("confirmDeletion", "Confirm before deleting resources")
        .parameters(json!({
            "type": "object",
            "properties": {
                "resourceType": {"type": "string"},
                "resourceName": {"type": "string"}
            },
            "required": ["resourceType", "resourceName"]
        }))
        .handler(move |args: DeletionArgs, ctx| confirm_and_delete(harbor, args, ctx))
        .render(deletion_card)
}

async fn confirm_and_delete(
    harbor: Harbor,
    args: DeletionArgs,
    ctx: ToolContext,
) -> Result<bool, ToolError> {
    let DeletionArgs {
        resource_type,
        resource_name,
    } = args;
    // The assistant's side is shown first, because the dialog is in the chat, which narrow screens
    // may hide.
    harbor.view.set(PageSide::Assistant);
    let question = ConfirmOptions::new(format!("Delete {resource_name}?"))
        .text(format!(
            "Are you sure you want to delete {resource_type}: {resource_name}? \
             It cannot be brought back."
        ))
        .danger();
    let is_confirmed = ctx.confirm(question).await;
    if !is_confirmed {
        harbor.add_entry(format!("Deletion of {resource_name} cancelled"), ASSISTANT);
    } else if !harbor.delete_project(&resource_name, ASSISTANT_WITH_APPROVAL) {
        let text = format!("Deletion of {resource_type} {resource_name} confirmed");
        harbor.add_entry(text, ASSISTANT_WITH_APPROVAL);
    }
    Ok(is_confirmed)
}

fn deletion_card(call: ToolCallView<DeletionArgs>) -> impl IntoView {
    move || {
        let name = call
            .args()
            .map_or_else(|| "something".to_owned(), |args| args.resource_name);
        match call.status() {
            Status::Pending => line(LineIcon::Busy, "Preparing a deletion…"),
            Status::Executing => {
                let text = format!("Waiting for confirmation to delete {name}…");
                toned_line("warning", Icon::Alert, text)
            }
            Status::Complete if call.result::<bool>() == Some(true) => line(
                LineIcon::Icon(Icon::Check),
                format!("User confirmed deletion of {name}"),
            ),
            Status::Complete => toned_line(
                "neutral",
                Icon::X,
                format!("User cancelled deletion of {name}"),
            ),
            Status::Failed => {
                let text = format!("{name} was not deleted: {}", reason(call.error()));
                line(LineIcon::Icon(Icon::Ban), text)
            }
        }
    }
}
