//! The page's descriptions of calls that need approval, and several approvals of one response.

use leptos::prelude::*;
use leptos_assistant::{
    Approval, Description, Risk, ToolAction,
    agent::Script,
    testing::{MockAgent, settle, until},
    use_assistant_action,
};
use serde_json::{Value, json};
use wasm_bindgen_test::wasm_bindgen_test;

use super::{
    interrupts::click,
    support::{Chat, chat},
};

/// Mounts a chat in which a deployment with this description needs approval.
async fn deployed(
    title: &'static str,
    describe: fn(&Value) -> Description,
    calls: usize,
) -> (Chat, RwSignal<Vec<Value>>) {
    let ran = RwSignal::new(Vec::new());
    let mut script = Script::new().text("As you wish.");
    for number in 0..calls {
        script = script.call("deploy", &json!({"version": format!("2.{number}")}));
    }
    let agent = MockAgent::new()
        .answer(script)
        .answer(Script::new().text("Done."));
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("deploy", "For the model")
                .handler(move |args: Value| ran.update(|list| list.push(args)))
                .title(title)
                .risk(Risk::Danger)
                .approval(Approval::Always)
                .describe(describe),
        );
    })
    .await;
    chat.assistant.send("Deploy").unwrap();
    let shown = until(|| chat.page.count(".la-approval") == u32::try_from(calls).unwrap()).await;
    assert!(shown, "{}", chat.page.root.inner_html());
    (chat, ran)
}

fn described(args: &Value) -> Description {
    Description::new("Deploy to production?").row("Version", args["version"].as_str().unwrap())
}

#[wasm_bindgen_test]
async fn title_while_running_is_announced_during_the_call() {
    let done = RwSignal::new(false);
    let agent = MockAgent::new().answer(Script::new().call("deploy", &json!({})));
    let chat = chat(agent, move || {
        let work = move || async move {
            until(move || done.get_untracked()).await;
        };
        use_assistant_action(
            ToolAction::new("deploy", "For the model")
                .title("Deploy")
                .title_while_running("Deploying")
                .handler(work),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    let announced = || chat.page.text("[data-speech=status]");
    assert!(
        until(|| announced() == "Deploying").await,
        "{}",
        announced()
    );
    done.set(true);
    chat.idle().await;
}

#[wasm_bindgen_test]
async fn a_described_call_folds_its_exact_arguments() {
    let (chat, ran) = deployed("Deploy", described, 1).await;
    let text = chat.page.text(".la-approval");
    assert!(
        text.starts_with("Deploy to production?Check this carefully before approving.Version2.0"),
        "{text}"
    );
    assert!(!text.contains("For the model"), "{text}");
    let card = chat.page.find(".la-approval").unwrap();
    assert_eq!(card.get_attribute("data-risk").as_deref(), Some("danger"));
    let fold = chat.page.find(".la-approval details").unwrap();
    assert!(!fold.has_attribute("open"));
    let folded = fold.text_content().unwrap();
    assert!(
        folded.starts_with("MoreRuns on this page: deploy"),
        "{folded}"
    );
    assert!(folded.ends_with("Change…"), "{folded}");
    let yes = chat.page.find(".la-approval-approve").unwrap();
    let rows = yes.get_attribute("aria-describedby").unwrap();
    assert_eq!(chat.page.text(&format!("#{rows}")), "Version2.0");
    assert!(
        chat.page
            .text(".la-approval details pre")
            .contains("\"version\": \"2.0\"")
    );
    assert_eq!(chat.page.text(".la-approval-approve"), "Approve");
    chat.reads(".la-approval").await;
    click(&chat, ".la-approval", "Approve");
    chat.idle().await;
    assert_eq!(ran.get_untracked(), [json!({"version": "2.0"})]);
}

/// The card names the approved action: a title that the sentence does not contain is below it.
#[wasm_bindgen_test]
async fn a_title_missing_from_the_description_is_shown_below_it() {
    let users: fn(&Value) -> Description = |_| Description::new("12 users see it?");
    let deploys: fn(&Value) -> Description = |_| Description::new("Really deploy 2.0?");
    for (title, description, head) in [
        ("Deploy", users, "12 users see it?Deploy"),
        ("", users, "12 users see it?deploy"),
        ("Deploy", deploys, "Really deploy 2.0?"),
    ] {
        let (chat, _) = deployed(title, description, 1).await;
        assert_eq!(chat.page.text(".la-approval-head"), head);
        chat.assistant.stop().unwrap();
    }
}

/// Arguments that a description omits are never folded, such as the address that gets a copy.
#[wasm_bindgen_test]
async fn arguments_missing_from_the_description_are_shown_below_it() {
    let args = json!({
        "to": "ada@example.org",
        "cc": ["eve@evil.example"],
        "subject": "Minutes",
        "attach": {"file": "Minutes"},
    });
    let sent = args.clone();
    let agent = MockAgent::new()
        .answer(Script::new().call("send_mail", &args))
        .answer(Script::new().text("Sent."));
    let ran = RwSignal::new(Vec::new());
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("send_mail", "")
                .handler(move |args: Value| ran.update(|list| list.push(args)))
                .title("Send mail")
                .approval(Approval::Always)
                .describe(|args: &Value| {
                    Description::new("Send the mail?").row("To", args["to"].as_str().unwrap())
                }),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    let rest = ".la-approval [data-kind=not-mentioned]";
    chat.appears(rest).await;
    let shown: Value = serde_json::from_str(&chat.page.text(rest)).unwrap();
    let left =
        json!({"cc": ["eve@evil.example"], "subject": "Minutes", "attach": {"file": "Minutes"}});
    assert_eq!(shown, left);
    let folded = chat.page.find(rest).unwrap().closest("details").unwrap();
    assert!(folded.is_none(), "it is open");
    assert!(
        chat.page
            .find(&format!("{rest} .la-approval-end"))
            .is_some()
    );
    chat.reads(".la-approval").await;
    click(&chat, ".la-approval", "Approve");
    chat.idle().await;
    assert_eq!(ran.get_untracked(), [sent]);
}

/// An empty or too long description has the exact arguments below it at once.
#[wasm_bindgen_test]
async fn an_empty_or_oversized_description_shows_the_exact_arguments() {
    let nothing = |_: &Value| Description::new("  ").row("", " ");
    let too_much = |_: &Value| Description::new("x".repeat(10_000));
    let rows = |_: &Value| (0..100).fold(Description::default(), |all, row| all.row("Row", row));
    for describe in [nothing as fn(&Value) -> Description, too_much, rows] {
        let (chat, _) = deployed("Deploy", describe, 1).await;
        assert!(
            chat.page.find(".la-approval details pre").is_none(),
            "the arguments are not folded"
        );
        assert!(
            chat.page
                .text(".la-approval pre")
                .contains("\"version\": \"2.0\"")
        );
        assert!(chat.page.text(".la-approval").chars().count() < 1_000);
        chat.assistant.stop().unwrap();
    }
}

#[wasm_bindgen_test]
async fn empty_hidden_and_long_titles_are_bounded() {
    let long: &'static str = Box::leak("Deploy it now ".repeat(1_000).into_boxed_str());
    for (title, shown) in [
        ("", "Runs on this page: deploy"),
        ("\u{202e}\u{200b} ", "Runs on this page: deploy"),
        ("\u{202e}yolpeD", "yolpeD?"),
        (long, "Deploy it now Deploy it now"),
    ] {
        let (chat, _) = deployed(title, |_| Description::default(), 1).await;
        let head = chat.page.text(".la-approval-title");
        assert!(
            head.starts_with(shown) && head.chars().count() < 120,
            "{head}"
        );
        let yes = chat.page.find(".la-approval-approve").unwrap();
        let name = yes.get_attribute("aria-label").unwrap();
        assert!(name.chars().count() < 120, "{name}");
        chat.assistant.stop().unwrap();
    }
}

/// Rules "approving", "timing of an answer": each for its own call, and only after all were read.
#[wasm_bindgen_test]
async fn several_approvals_of_one_response_are_approved_together() {
    let (chat, ran) = deployed("Deploy", described, 3).await;
    chat.appears(".la-batch").await;
    assert!(
        chat.page
            .text(".la-batch")
            .starts_with("3 questions to answer")
    );
    assert_eq!(chat.page.count(".la-batch li"), 3);
    let first = chat.page.find(":is(.la-batch, .la-approval)").unwrap();
    assert!(first.matches(".la-batch").unwrap(), "it is above the cards");
    let text = chat
        .page
        .find("[data-role=assistant] :is(.la-answer, .la-batch)");
    assert!(
        text.unwrap().matches(".la-answer").unwrap(),
        "below the text"
    );
    chat.page.click(".la-batch-approve");
    settle().await;
    assert!(
        ran.with_untracked(Vec::is_empty),
        "the user cannot have read them"
    );
    // From the summary down to the last card, and back.
    chat.dwells_on(
        ".la-batch-title, .la-batch li, .la-batch-approve, .la-approval-title, \
         .la-approval-approve",
    )
    .await;
    chat.page
        .find(".la-batch-title")
        .unwrap()
        .scroll_into_view();
    chat.appears(".la-batch-approve:not([aria-disabled])").await;
    chat.page.click(".la-batch-approve");
    chat.idle().await;
    let versions = ["2.0", "2.1", "2.2"].map(|version| json!({"version": version}));
    assert_eq!(ran.get_untracked(), versions);
}

/// Rule "several questions of one response": also if each call is in a message of its own
#[wasm_bindgen_test]
async fn approvals_in_several_messages_of_a_turn_share_a_summary() {
    let script = ["2.0", "2.1"]
        .into_iter()
        .fold(Script::new(), |script, version| {
            let script = script.text(format!("Now {version}."));
            script.call("deploy", &json!({"version": version}))
        });
    let ran = RwSignal::new(0);
    let chat = chat(MockAgent::new().answer(script), move || {
        use_assistant_action(
            ToolAction::new("deploy", "For the model")
                .handler(move |_: Value| ran.update(|count| *count += 1))
                .approval(Approval::Always)
                .describe(described),
        );
    })
    .await;
    chat.assistant.send("Deploy").unwrap();
    chat.appears(".la-batch").await;
    assert_eq!(chat.page.count(".la-message .la-approval"), 2);
    assert_eq!(chat.page.count(".la-message:has(.la-approval)"), 2);
    assert_eq!(chat.page.count(".la-batch"), 1);
    assert_eq!(chat.page.count(".la-batch li"), 2);
    let first = chat.page.find(":is(.la-batch, .la-approval)").unwrap();
    assert!(first.matches(".la-batch").unwrap(), "it is above the cards");
    chat.page.click(".la-batch-deny");
    chat.idle().await;
    assert_eq!(ran.get_untracked(), 0);
    assert_eq!(chat.results(1), ["\"denied\"", "\"denied\""]);
}

/// Calls with nothing but a title are distinguished by their most significant argument.
#[wasm_bindgen_test]
async fn batch_rows_distinguish_similar_calls() {
    let (chat, _) = deployed("Deploy", |_| Description::default(), 2).await;
    chat.appears(".la-batch").await;
    let rows_of = |chat: &Chat| chat.page.text(".la-batch-rows");
    assert_eq!(rows_of(&chat), "Deploy? 2.0Deploy? 2.1");
    chat.assistant.stop().unwrap();
    let (chat, _) = deployed("Deploy", described, 2).await;
    chat.appears(".la-batch").await;
    assert_eq!(
        rows_of(&chat),
        "Deploy to production? 2.0Deploy to production? 2.1"
    );
    chat.assistant.stop().unwrap();
    let description =
        |args: &Value| Description::new(format!("Deploy {}?", args["version"].as_str().unwrap()));
    let (chat, _) = deployed("Deploy", description, 2).await;
    chat.appears(".la-batch").await;
    assert_eq!(rows_of(&chat), "Deploy 2.0?Deploy 2.1?");
}

/// The button has one word, since the heading has the title. Its accessible name and its tooltip
/// have both.
#[wasm_bindgen_test]
async fn an_approve_button_is_one_word_named_by_its_whole_title() {
    let title = "Deploy the newest version to every region in which a customer is";
    let (chat, _) = deployed(title, described, 1).await;
    let button = chat.page.find(".la-approval-approve").unwrap();
    assert_eq!(button.text_content().as_deref(), Some("Approve"));
    let whole = format!("Approve: {title}");
    assert_eq!(button.get_attribute("aria-label").as_ref(), Some(&whole));
    assert_eq!(button.get_attribute("title"), Some(whole));
}

#[wasm_bindgen_test]
async fn several_approvals_of_one_response_are_denied_together() {
    let (chat, ran) = deployed("Deploy", described, 2).await;
    chat.appears(".la-batch").await;
    chat.page.click(".la-batch-deny");
    chat.idle().await;
    assert!(ran.with_untracked(Vec::is_empty));
    assert_eq!(chat.results(1), ["\"denied\"", "\"denied\""]);
    assert!(chat.page.find(".la-batch").is_none());
}

/// A title may be a signal or a closure, and a description may read signals. Open cards follow them,
/// and must be read again.
#[wasm_bindgen_test]
async fn a_card_follows_the_title_and_the_description_of_its_action() {
    let (place, users) = (RwSignal::new("staging"), RwSignal::new(12));
    let agent = MockAgent::new().answer(Script::new().call("deploy", &json!({})));
    let chat = chat(agent, move || {
        use_assistant_action(
            ToolAction::new("deploy", "")
                .title(move || format!("Deploy to {}", place.get()))
                .approval(Approval::Always)
                .handler(|_: Value| "done")
                .describe(move |_| Description::new(format!("{} users see it.", users.get()))),
        );
    })
    .await;
    chat.assistant.send("go").unwrap();
    chat.reads(".la-approval").await;
    assert!(chat.page.text(".la-approval").contains("Deploy to staging"));
    let counts = || {
        chat.page
            .find(".la-approval-approve:not([aria-disabled])")
            .is_some()
    };
    assert!(counts());
    place.set("production");
    let shown = || chat.page.text(".la-approval");
    assert!(
        until(|| shown().contains("Deploy to production")).await,
        "{}",
        shown()
    );
    assert!(!counts());
    chat.reads(".la-approval").await;
    assert!(counts());
    users.set(4_000);
    assert!(
        until(|| shown().contains("4000 users")).await,
        "{}",
        shown()
    );
    assert!(!counts());
    chat.reads(".la-approval").await;
    assert!(counts());
}
