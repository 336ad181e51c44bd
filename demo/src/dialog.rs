//! Renders the dialog in which the user confirms the deletion of a project. The dialog belongs to
//! the page instead of the chat, which shows the questions of actions.

use leptos::{html, prelude::*};

use crate::{
    browser::focus_in_next_frame,
    state::{Harbor, USER},
};

/// The dialog that asks the user to confirm the deletion of the project in `project_to_delete`.
#[component]
pub(crate) fn DeleteDialog(
    harbor: Harbor,
    project_to_delete: RwSignal<Option<String>>,
) -> impl IntoView {
    let names = move || project_to_delete.get().into_iter().collect::<Vec<_>>();
    view! {
        <For
            each=names
            key=Clone::clone
            children=move |name| dialog(harbor, project_to_delete, name)
        />
    }
}

fn dialog(
    harbor: Harbor,
    project_to_delete: RwSignal<Option<String>>,
    name: String,
) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        if let Some(element) = element.get() {
            // The result is ignored, because `show_modal` fails only if the dialog is already open.
            let _ = element.show_modal();
        }
    });
    let displayed_name = name.clone();
    let on_close = move |_| {
        let is_confirmed = element
            .get_untracked()
            .is_some_and(|element| element.return_value() == "confirm");
        project_to_delete.set(None);
        if is_confirmed && harbor.delete_project(&name, USER) {
            // The title of the panel is focused, because the button that opened the dialog is
            // removed with the row of the project.
            focus_in_next_frame("#projects-title");
        }
    };
    view! {
        <dialog
            class="la-dialog"
            aria-labelledby="delete-title"
            aria-describedby="delete-text"
            node_ref=element
            on:close=on_close
        >
            <form class="la-dialog-form" method="dialog">
                <h2 class="la-dialog-title" id="delete-title">
                    {format!("Delete {displayed_name}?")}
                </h2>
                <p class="la-dialog-text" id="delete-text">
                    "The project " <strong>{displayed_name}</strong>
                    " and its services go for good."
                </p>
                <div class="la-dialog-actions">
                    <button type="submit" class="la-button" value="cancel" autofocus>
                        <span>{"Cancel"}</span>
                    </button>
                    <button
                        type="submit"
                        class="la-button"
                        data-variant="danger"
                        value="confirm"
                    >
                        <span>{"Confirm"}</span>
                    </button>
                </div>
            </form>
        </dialog>
    }
}
