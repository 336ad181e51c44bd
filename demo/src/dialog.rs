//! The dialog in which the user confirms deleting a project. It belongs to the page and not to the
//! chat, which shows the questions of actions.

use leptos::{html, prelude::*};

use crate::{
    browser::focus_soon,
    state::{Harbor, YOU},
};

/// The dialog that asks about deleting the project in `asked`. Confirm deletes the project.
#[component]
pub(crate) fn DeleteDialog(harbor: Harbor, asked: RwSignal<Option<String>>) -> impl IntoView {
    let each = move || asked.get().into_iter().collect::<Vec<_>>();
    view! {
        <For each key=Clone::clone children=move |name| dialog(harbor, asked, name) />
    }
}

fn dialog(harbor: Harbor, asked: RwSignal<Option<String>>, name: String) -> impl IntoView {
    let element = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        if let Some(element) = element.get() {
            // Fails only if the dialog is already open.
            let _ = element.show_modal();
        }
    });
    let shown = name.clone();
    let closed = move |_| {
        let confirmed = element
            .get_untracked()
            .is_some_and(|element| element.return_value() == "confirm");
        asked.set(None);
        if confirmed && harbor.delete_project(&name, YOU) {
            // The button that opened the dialog is removed with its row.
            focus_soon("#projects-title");
        }
    };
    view! {
        <dialog
            class="la-dialog"
            aria-labelledby="delete-title"
            aria-describedby="delete-text"
            node_ref=element
            on:close=closed
        >
            <form class="la-dialog-form" method="dialog">
                <h2 class="la-dialog-title" id="delete-title">
                    {format!("Delete {shown}?")}
                </h2>
                <p class="la-dialog-text" id="delete-text">
                    "The project " <strong>{shown}</strong>
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
