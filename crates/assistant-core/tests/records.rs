//! Records of messages and calls for other systems, written and imported; the cost of tokens.

use assistant_core::{
    action::ToolError,
    conversation::{Amount, Change, Message, MessageId, Phase, Rates, Status},
    event::{Role, TokenUsage},
    records::{CallRecord, CallRecords, ContentBlock, ConvUpdate, Recorder, ToolUpdate, Update},
    session::{Input, TreeChange},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Driver, action, calls, finish_run, message_id, sketch, with};

/// Reads a record.
fn record(value: Value) -> CallRecord {
    CallRecord::from_json(&value).unwrap()
}

#[test]
fn a_call_record_round_trips_with_its_fields() {
    let full = json!({"id": "a", "name": "search", "arguments": "{\"q\":1}", "result": "2",
        "timestamp": 5, "textPosition": 7});
    assert_eq!(record(full.clone()).to_json(), full);
    let open = json!({"id": "a", "name": "search", "arguments": "{}", "timestamp": 5});
    assert_eq!(record(open.clone()).to_json(), open);
    assert_eq!(CallRecord::from_json(&json!({"name": "no id"})), None);
}

#[test]
fn the_result_is_the_first_field_that_is_not_null() {
    let result = |value: Value| record(value).result().map(str::to_owned);
    assert_eq!(
        result(json!({"id": "a", "output": 1})),
        Some("1".to_owned())
    );
    let both = json!({"id": "a", "result": 2, "output": 1});
    assert_eq!(result(both), Some("2".to_owned()));
    let null = json!({"id": "a", "result": null, "output": null, "content": "3"});
    assert_eq!(result(null), Some("3".to_owned()));
    assert_eq!(result(json!({"id": "a"})), None);
}

#[test]
fn complete_records_override_partial_ones_per_field() {
    let stored = json!({
        "partialToolCalls": [
            {"id": "a", "name": "x", "arguments": "{}", "result": "1", "timestamp": 1},
            {"id": "b", "name": "y", "arguments": "{}", "timestamp": 2},
        ],
        "toolCalls": [
            {"id": "a", "name": "x", "arguments": "{}", "timestamp": 9},
            {"id": "b", "name": "y", "arguments": "{\"n\":1}", "result": "2", "timestamp": 9},
        ],
    });
    let merged = CallRecords::from_json(&stored);
    let results: Vec<_> = merged.iter().map(|r| (r.id(), r.result())).collect();
    assert_eq!(results, [("a", Some("1")), ("b", Some("2"))]);
    assert_eq!(merged[1].arguments(), "{\"n\":1}");
    assert_eq!(merged[0].timestamp(), 1);
}

#[test]
fn calls_are_partial_until_their_message_ends() {
    let mut driver = with([action("search")]);
    driver.events(calls("c1", "search", "{\"q\":1}"));
    let of = |driver: &Driver| CallRecords::of(driver.session.conversation(), &message_id("m"));
    assert_eq!(
        (of(&driver).partial().len(), of(&driver).complete().len()),
        (1, 0)
    );
    finish_run(&mut driver);
    assert_eq!(of(&driver).partial()[0].result(), None);
    // The keys by which a view renders: call keys and message ids, in order.
    let drawn = |driver: &Driver| {
        let conversation = driver.session.conversation();
        let path = conversation.path();
        let ids = path.clone().map(|message| message.id().clone());
        let calls = path.flat_map(|message| conversation.calls_in(message));
        (
            ids.collect::<Vec<_>>(),
            calls.map(|call| call.key()).collect::<Vec<_>>(),
        )
    };
    let before = drawn(&driver);
    driver.returns("c1", json!({"found": true}));
    assert_eq!(drawn(&driver), before);
    let over = of(&driver);
    assert_eq!(over.partial(), []);
    assert_eq!(over.complete()[0].result(), Some("{\"found\":true}"));
    assert_eq!(over.complete()[0].arguments(), "{\"q\":1}");
}

#[test]
fn a_message_update_has_exactly_its_fields() {
    let update = ConvUpdate::from_json(&json!({"convId": "c", "messageId": "m"})).unwrap();
    let keys: Vec<String> = update
        .to_json()
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(
        keys,
        [
            "convId",
            "messageId",
            "parentId",
            "contentBlocks",
            "timestamp",
            "source",
            "tokenUsage",
            "costInfo",
            "attachments",
            "durationMs",
            "toolCalls",
        ]
    );
    let full = json!({
        "convId": "thread", "messageId": "m", "parentId": "u",
        "contentBlocks": [{"content": "Hi", "contentType": "text"}],
        "timestamp": 5, "source": "assistant",
        "tokenUsage": {"inputTokens": null, "outputTokens": 7,
            "cacheCreationInputTokens": null, "cacheReadInputTokens": 3},
        "costInfo": {"totalCost": "0.0012"},
        "attachments": [], "durationMs": 12,
        "toolCalls": [{"id": "t", "toolName": "x", "status": "complete", "parameters": "{}"}],
    });
    let mut strange = full.clone();
    strange["fromAnotherVersion"] = json!([1]);
    assert_eq!(ConvUpdate::from_json(&strange).unwrap().to_json(), full);
    let done = json!({"toolCallId": "t", "status": "completed", "result": {"a": 1}});
    let done = ToolUpdate::from_json(&done).unwrap();
    assert_eq!(
        (done.status(), done.result()),
        (Status::Complete, Some("{\"a\":1}"))
    );
    assert_eq!(Update::from_json(&json!("nonsense")), None);
}

/// Records everything of a session with a tool, from the first message to the answer.
fn recorded(fails: bool) -> (Driver, Vec<Update>) {
    let mut driver = Driver::new();
    driver.register(action("search"));
    let mut recorder = Recorder::default();
    let mut all = Vec::new();
    let mut now = 0;
    let mut watch = |driver: &Driver, changes: &[Change]| {
        now += 1;
        all.extend(recorder.record(&driver.session, changes, now));
    };
    driver.manual_commits = true;
    let step = driver.send("hi");
    watch(&driver, &step.changes);
    let mut events = vec![crate::support::started()];
    events.extend(crate::support::says("m", "Let me see."));
    events.extend(calls("c1", "search", "{\"q\":1}"));
    events.push(crate::support::finished());
    for event in events {
        let step = driver.event(event);
        watch(&driver, &step.changes);
    }
    let step = driver.close();
    watch(&driver, &step.changes);
    let commit = driver.commits.last().unwrap().0;
    let step = driver.input(Input::Committed {
        commit,
        outcome: Ok(()),
    });
    watch(&driver, &step.changes);
    let step = match fails {
        true => driver.handler_ends("c1", Err(ToolError::new("no luck"))),
        false => driver.returns("c1", json!({"found": 1})),
    };
    watch(&driver, &step.changes);
    let mut events = vec![crate::support::started()];
    events.extend(crate::support::says("m2", "Found."));
    events.push(crate::support::finished());
    for event in events {
        let step = driver.event(event);
        watch(&driver, &step.changes);
    }
    let step = driver.close();
    watch(&driver, &step.changes);
    (driver, all)
}

fn statuses(updates: &[Update]) -> Vec<&'static str> {
    let tools = updates.iter().filter_map(|update| match update {
        Update::Tool(update) => Some(update.status().as_str()),
        Update::Conv(_) => None,
    });
    tools.collect()
}

#[test]
fn a_call_is_recorded_as_pending_executing_and_ended() {
    let (_, updates) = recorded(false);
    assert_eq!(statuses(&updates), ["pending", "executing", "complete"]);
    let (_, updates) = recorded(true);
    assert_eq!(statuses(&updates), ["pending", "executing", "failed"]);
    let last = updates.iter().rev().find_map(|update| match update {
        Update::Tool(update) => update.result(),
        Update::Conv(_) => None,
    });
    assert_eq!(last, Some("no luck"));
    // The assistant's first text precedes the execution of its call.
    let place = |what: &dyn Fn(&Update) -> bool| updates.iter().position(what).unwrap();
    let text =
        place(&|update| matches!(update, Update::Conv(update) if update.message_id() == "m"));
    let runs = place(
        &|update| matches!(update, Update::Tool(update) if update.status() == Status::Executing),
    );
    assert!(text < runs);
}

#[test]
fn an_answer_is_recorded_before_its_run_ends() {
    let mut driver = Driver::new();
    let mut recorder = Recorder::default();
    driver.send("hi");
    driver.event(crate::support::started());
    let mut updates = Vec::new();
    for event in crate::support::says("m", "Let me see.") {
        let step = driver.event(event);
        updates.extend(recorder.record(&driver.session, &step.changes, 1));
    }
    assert!(driver.session.is_streaming());
    let answers = updates.iter().filter_map(|update| match update {
        Update::Conv(update) if update.message_id() == "m" => update.content_blocks(),
        _ => None,
    });
    let texts: Vec<&str> = answers.flatten().map(ContentBlock::content).collect();
    assert_eq!(texts, ["Let me see."]);
}

fn feed(updates: &[Update]) -> Driver {
    let mut driver = Driver::new();
    driver.register(action("search"));
    for update in updates {
        // Serialized, as for any transport.
        let update = Update::from_json(&update.to_json()).unwrap();
        let update = Box::new(update);
        driver.input(Input::Update { update });
    }
    driver
}

fn state(driver: &Driver) -> (Vec<String>, Vec<(String, Phase)>) {
    let conversation = driver.session.conversation();
    let messages = sketch(&conversation.received_messages());
    let path = conversation.path();
    let calls = path.flat_map(|message| conversation.calls_in(message));
    let calls = calls.map(|call| (call.id().to_owned(), call.phase()));
    (messages, calls.collect())
}

#[test]
fn replayed_updates_rebuild_the_tree_and_run_nothing() {
    for fails in [false, true] {
        let (local, updates) = recorded(fails);
        let fed = feed(&updates);
        let (messages, calls) = state(&fed);
        assert_eq!(calls, state(&local).1);
        let own = state(&local).0;
        // The text of a failure is that of the record.
        assert_eq!(messages.len(), own.len());
        assert_eq!(messages[0..2], own[0..2]);
        assert_eq!(messages[3], own[3]);
        if !fails {
            assert_eq!(contents(&fed), contents(&local));
        }
        assert_eq!(fed.invocations.len(), 0);
        assert_eq!(fed.runs.len(), 0);
        assert!(!fed.session.is_busy());
        // Applying updates twice has no further effect.
        let mut twice = updates.clone();
        twice.extend(updates.clone());
        assert_eq!(state(&feed(&twice)), state(&fed));
    }
}

#[test]
fn replayed_updates_rebuild_every_branch() {
    let mut local = Driver::new();
    let mut recorder = Recorder::default();
    let mut updates = Vec::new();
    let mut record = |driver: &Driver, changes: &[Change]| {
        updates.extend(recorder.record(&driver.session, changes, 1));
    };
    for id in ["a1", "a2", "a3"] {
        let step = match id {
            "a1" => local.send("one"),
            "a2" => local.send("two"),
            _ => local.input(Input::Tree {
                change: TreeChange::Regenerate {
                    message: message_id("a1"),
                },
            }),
        };
        record(&local, &step.changes);
        local.event(crate::support::started());
        for event in crate::support::says(id, id) {
            let step = local.event(event);
            record(&local, &step.changes);
        }
        finish_run(&mut local);
    }
    let tree = |driver: &Driver| {
        let conversation = driver.session.conversation();
        let entry = |message: &Message| {
            let parent = conversation.parent(message.id()).map(MessageId::as_str);
            json!([message.id().as_str(), parent, message.text()])
        };
        let messages = conversation.all_messages().map(entry);
        messages.collect::<Vec<_>>()
    };
    assert_eq!(tree(&local).len(), 5);
    assert_eq!(tree(&feed(&updates)), tree(&local));
}

/// Applies updates of one call, a second apart.
fn feed_fields(fields: &[Value]) -> Driver {
    let mut driver = Driver::new();
    for fields in fields {
        driver.host.clock += 1_000;
        let mut fields = fields.clone();
        fields["toolCallId"] = json!("c");
        let update = Box::new(Update::from_json(&fields).unwrap());
        assert_eq!(driver.input(Input::Update { update }).refused, None);
    }
    driver
}

#[test]
fn an_update_of_a_call_is_merged_into_its_state() {
    let named = json!({"toolName": "f"});
    let created = feed_fields(std::slice::from_ref(&named));
    assert_eq!(created.phase("c").status(), Status::Pending);
    let at = created.call("c").created_at();
    assert_eq!(at, created.host.clock, "now");
    for status in ["executing", "complete"] {
        let status = json!({"status": status});
        let result = json!({"result": "4"});
        for [one, other] in [[&status, &result], [&result, &status]] {
            let driver = feed_fields(&[named.clone(), one.clone(), other.clone()]);
            let call = driver.call("c");
            assert_eq!(
                (call.name(), driver.phase("c").status(), call.created_at()),
                ("f", Status::Complete, at),
                "{one} {other}"
            );
            assert_eq!(driver.answer("c"), "4", "{one} {other}");
        }
    }
    let failed = feed_fields(&[named, json!({"status": "failed"}), json!({"result": "no"})]);
    assert_eq!(failed.phase("c").status(), Status::Failed);
    assert_eq!(failed.call("c").created_at(), at);
}

#[test]
fn a_missing_update_loses_only_its_own_content() {
    let (_, updates) = recorded(false);
    let whole = state(&feed(&updates));
    for missing in 0..updates.len() {
        let mut some = updates.clone();
        let lost = some.remove(missing);
        let fed = feed(&some);
        let (_, calls) = state(&fed);
        let over = Update::Tool(match &updates[missing] {
            Update::Tool(update) => update.clone(),
            Update::Conv(_) => ToolUpdate::from_json(&json!({"toolCallId": ""})).unwrap(),
        });
        let expected = match over {
            Update::Tool(update) if update.status() == Status::Complete => Phase::Running,
            _ => Phase::OutputAvailable,
        };
        assert_eq!(calls, [("c1".to_owned(), expected)], "without {lost:?}");
        assert!(fed.session.conversation().is_sound());
        assert!(whole.0.len() >= state(&fed).0.len());
    }
}

/// Calls back with every order of a list.
fn permute(list: &mut [Update], from: usize, see: &mut impl FnMut(&[Update])) {
    if from == list.len() {
        return see(list);
    }
    for place in from..list.len() {
        list.swap(from, place);
        permute(list, from + 1, see);
        list.swap(from, place);
    }
}

/// The content that updates carry: the path, all texts, and the calls with arguments and results.
fn contents(driver: &Driver) -> Value {
    let conversation = driver.session.conversation();
    let calls = |id: &MessageId| {
        let calls = conversation.calls_in(conversation.message(id).unwrap());
        let call = |call: &assistant_core::conversation::ToolCall| {
            json!([
                call.id(),
                call.name(),
                call.args_text(),
                call.phase().as_str(),
                call.result().map(|result| result.value().clone())
            ])
        };
        calls.map(call).collect::<Value>()
    };
    let path = conversation.path();
    let message = |message: &Message| {
        let parent = conversation.parent(message.id()).map(|id| id.as_str());
        json!([
            message.id().as_str(),
            parent,
            message.role().as_str(),
            message.text(),
            calls(message.id())
        ])
    };
    path.map(message).collect()
}

#[test]
fn updates_in_any_order_build_the_same_conversation() {
    for fails in [false, true] {
        let (_, mut updates) = recorded(fails);
        let expected = contents(&feed(&updates));
        assert_eq!(expected.as_array().unwrap().len(), 3);
        assert!(updates.len() >= 6, "{updates:?}");
        // One in 31 of all orders, to keep the test short.
        let mut orders = 0;
        permute(&mut updates, 0, &mut |order| {
            orders += 1;
            if orders % 31 != 0 {
                return;
            }
            let fed = feed(order);
            assert!(fed.session.conversation().is_sound());
            assert_eq!(contents(&fed), expected, "{order:#?}");
        });
        assert!(orders >= 720);
    }
}

#[test]
fn statuses_are_parsed_in_the_spellings_of_other_systems() {
    let words = [
        (
            Status::Pending,
            "pending queued QUEUED input-streaming input_available inputAvailable",
        ),
        (
            Status::Executing,
            "executing Executing running in_progress in-progress inProgress IN_PROGRESS",
        ),
        (
            Status::Complete,
            "complete completed Completed success done DONE output-available outputAvailable",
        ),
        (
            Status::Failed,
            "failed error output-error output_error rejected denied Denied cancelled skipped",
        ),
    ];
    for (status, spellings) in words {
        for word in spellings.split(' ') {
            let update = json!({"toolCallId": "c", "messageId": "m", "status": word});
            let update = ToolUpdate::from_json(&update).unwrap();
            assert_eq!(update.status(), status, "{word}");
            assert_eq!(update.to_json()["status"], status.as_str());
            let listed = json!({"messageId": "m", "toolCalls": [{"id": "c", "status": word}]});
            let listed = ConvUpdate::from_json(&listed).unwrap();
            assert_eq!(listed.tool_calls()[0].status(), status, "{word}");
        }
    }
    let unsaid = json!({"toolCallId": "c", "messageId": "m", "result": 4});
    assert_eq!(
        ToolUpdate::from_json(&unsaid).unwrap().status(),
        Status::Complete
    );
}

fn read(update: Value) -> Update {
    Update::from_json(&update).unwrap()
}

#[test]
fn content_missing_from_an_update_is_kept() {
    let file =
        json!({"type": "image", "source": {"type": "url", "value": "https://a.example/i.png"}});
    let whole =
        json!({"messageId": "m", "contentBlocks": [{"content": "Hi"}], "attachments": [file]});
    let text = |more: Value| {
        let fed = feed(&[read(whole.clone()), read(more)]);
        let conversation = fed.session.conversation();
        let message = conversation.message(&message_id("m")).unwrap();
        (message.text(), message.parts().len())
    };
    assert_eq!(
        text(json!({"messageId": "m", "tokenUsage": {}})),
        ("Hi".to_owned(), 2)
    );
    assert_eq!(
        text(json!({"messageId": "m", "contentBlocks": null, "attachments": []})),
        ("Hi".to_owned(), 1)
    );
    assert_eq!(
        text(json!({"messageId": "m", "contentBlocks": [{"content": "Bye"}]})),
        ("Bye".to_owned(), 2)
    );
    assert_eq!(
        text(json!({"messageId": "m", "contentBlocks": []})),
        (String::new(), 1)
    );
    let calls = json!({"messageId": "m", "toolCalls": [{"id": "c", "toolName": "f"}]});
    assert_eq!(text(calls), ("Hi".to_owned(), 3));
}

#[test]
fn a_repeated_update_keeps_role_and_parent() {
    let update = |id: &str, parent: Value, source: &str, text: &str| {
        read(
            json!({"messageId": id, "parentId": parent, "source": source,
            "contentBlocks": [{"content": text}]}),
        )
    };
    let fed = feed(&[
        update("a", Value::Null, "user", "one"),
        update("b", json!("a"), "assistant", "two"),
        update("c", json!("b"), "user", "three"),
        update("c", json!("a"), "assistant", "four"),
    ]);
    let conversation = fed.session.conversation();
    let id = message_id("c");
    let message = conversation.message(&id).unwrap();
    assert_eq!(
        (message.role(), message.text()),
        (Role::User, "four".to_owned())
    );
    assert_eq!(conversation.parent(&id), Some(&message_id("b")));
}

#[test]
fn an_older_update_does_not_override_a_newer_one() {
    let update = |timestamp: u64, words: &str, usage: Value| {
        read(
            json!({"messageId": "m", "timestamp": timestamp, "tokenUsage": usage,
            "contentBlocks": [{"content": words}]}),
        )
    };
    let fed = feed(&[
        update(9, "new", json!({"outputTokens": 7})),
        update(5, "old", json!({"inputTokens": 3, "outputTokens": 2})),
    ]);
    let conversation = fed.session.conversation();
    let message = conversation.message(&message_id("m")).unwrap();
    assert_eq!(message.text(), "new");
    let usage = &message.cost().usage()[0];
    assert_eq!(
        (usage.input_tokens, usage.output_tokens),
        (Some(3), Some(7))
    );
}

#[test]
fn a_call_listed_as_complete_ends_and_accepts_a_later_result() {
    let list = read(json!({"messageId": "m", "contentBlocks": [],
        "toolCalls": [{"id": "c", "toolName": "f", "status": "completed", "parameters": "{}"}]}));
    let result = read(json!({"messageId": "m", "toolCallId": "c", "toolName": "f",
        "status": "completed", "result": "{\"n\":1}"}));
    let silent = read(json!({"messageId": "m", "toolCallId": "c", "status": "completed"}));
    for (order, expected) in [
        (vec![list.clone()], Value::Null),
        (vec![list.clone(), result.clone()], json!({"n": 1})),
        (vec![result.clone(), list.clone()], json!({"n": 1})),
        (vec![result, silent, list], json!({"n": 1})),
    ] {
        let fed = feed(&order);
        let (_, call) = fed.session.conversation().call_by_wire_id("c").unwrap();
        assert_eq!(call.phase(), Phase::OutputAvailable);
        assert_eq!(*call.result().unwrap().value(), expected);
        assert!(!fed.session.is_busy());
    }
}

#[test]
fn updates_of_another_conversation_are_refused() {
    use assistant_core::session::Refusal;
    let mut driver = Driver::new();
    let mut take = |update: Value| {
        let update = Box::new(read(update));
        driver.input(Input::Update { update }).refused
    };
    let block = json!([{"content": "x"}]);
    let other = json!({"convId": "other", "messageId": "m", "contentBlocks": block});
    assert_eq!(take(other), Some(Refusal::OtherConversation));
    let other = json!({"convId": "other", "messageId": "m", "toolCallId": "c"});
    assert_eq!(take(other), Some(Refusal::OtherConversation));
    assert_eq!(
        take(json!({"convId": "thread", "messageId": "m", "contentBlocks": block})),
        None
    );
    assert_eq!(
        take(json!({"messageId": "n", "contentBlocks": block})),
        None
    );
    assert_eq!(driver.session.conversation().message_count(), 2);
}

#[test]
fn a_call_update_can_identify_its_call_by_the_tool_name() {
    let of = |status: &str, result: Value| {
        read(
            json!({"convId": "thread", "messageId": "m", "toolName": "f", "status": status,
            "result": result}),
        )
    };
    let list = read(
        json!({"messageId": "m", "contentBlocks": [{"content": "Hi"}],
        "toolCalls": [{"id": "c1", "toolName": "f"}, {"id": "c2", "toolName": "f"}]}),
    );
    let fed = feed(&[
        list,
        of("executing", Value::Null),
        of("completed", json!("one")),
        of("failed", json!("two")),
    ]);
    let calls = contents(&fed)[0][4].take();
    assert_eq!(calls[0][4], "one");
    assert_eq!(
        (&calls[1][3], &calls[1][4]),
        (&json!("output-error"), &json!("two"))
    );
}

#[test]
fn a_completed_call_without_a_result_has_null() {
    let fed = feed(&[Update::Tool(
        ToolUpdate::from_json(&json!({
            "convId": "thread", "messageId": "m", "toolCallId": "c1", "toolName": "search",
            "status": "completed",
        }))
        .unwrap(),
    )]);
    let (_, call) = fed.session.conversation().call_by_wire_id("c1").unwrap();
    assert_eq!(call.phase(), Phase::OutputAvailable);
    assert_eq!(*call.result().unwrap().value(), Value::Null);
    assert!(!fed.session.is_busy());
}

#[test]
fn costs_missing_from_an_update_are_kept_and_durations_never_shrink() {
    let conv = |more: Value| {
        let mut update = json!({"convId": "thread", "messageId": "m", "source": "assistant",
            "contentBlocks": [{"type": "text", "content": "x"}]});
        let fields = more.as_object().unwrap().clone();
        update.as_object_mut().unwrap().extend(fields);
        Update::from_json(&update).unwrap()
    };
    let usage = json!({"inputTokens": 3, "outputTokens": 4});
    let fed = feed(&[
        conv(json!({"tokenUsage": usage, "durationMs": 900})),
        conv(json!({"durationMs": 300})),
        conv(json!({})),
    ]);
    let message = fed
        .session
        .conversation()
        .message(&message_id("m"))
        .unwrap();
    assert_eq!(message.cost().duration_ms(), Some(900));
    assert_eq!(message.cost().usage()[0].output_tokens, Some(4));
    let fed = feed(&[
        conv(json!({"tokenUsage": usage, "durationMs": 900})),
        conv(json!({"tokenUsage": {"outputTokens": 9}, "durationMs": 1200})),
    ]);
    let message = fed
        .session
        .conversation()
        .message(&message_id("m"))
        .unwrap();
    assert_eq!(message.cost().duration_ms(), Some(1200));
    assert_eq!(message.cost().usage()[0].output_tokens, Some(9));
    assert_eq!(message.cost().usage()[0].input_tokens, Some(3));
}

#[test]
fn tokens_are_priced_exactly() {
    let rates = Rates::per_million("3.00", "15")
        .and_then(|rates| rates.cache_reads("0.1"))
        .and_then(|rates| rates.cache_writes("1.25"))
        .unwrap();
    let usage = |input, cached| TokenUsage {
        input_tokens: Some(input),
        cached_input_tokens: Some(cached),
        ..TokenUsage::default()
    };
    assert_eq!(rates.price(&usage(1_000_000, 100_000)).to_string(), "3.03");
    assert_eq!(rates.price(&usage(1, 1)).to_string(), "0.0000033");
    let inside = rates.cached_in_input();
    assert_eq!(inside.price(&usage(1_000_000, 100_000)).to_string(), "2.73");
    let written = TokenUsage {
        cache_write_input_tokens: Some(200_000),
        ..usage(1_000_000, 100_000)
    };
    assert_eq!(rates.price(&written).to_string(), "3.78");
    assert_eq!(inside.price(&written).to_string(), "2.88");
    assert!(Rates::per_million("3.0000000001", "1").is_err());
    assert!(Rates::per_million("-3", "1").is_err());
}

#[test]
fn cost_is_summed_along_the_path_and_over_the_tree() {
    let mut driver = Driver::new();
    let usage = |count| TokenUsage {
        model: Some("m".to_owned()),
        output_tokens: Some(count),
        ..TokenUsage::default()
    };
    let answer = |driver: &mut Driver, id: &str, count| {
        driver.event(crate::support::started());
        driver.events(crate::support::says(id, "x"));
        driver.event(assistant_core::event::EventKind::RunFinished {
            thread_id: "thread".to_owned(),
            run_id: "run".to_owned(),
            result: None,
            outcome: None,
            usage: vec![usage(count)],
        });
        driver.close();
    };
    driver.send("one");
    answer(&mut driver, "a1", 10);
    driver.send("two");
    answer(&mut driver, "a2", 5);
    driver.input(Input::Tree {
        change: TreeChange::Regenerate {
            message: message_id("a2"),
        },
    });
    answer(&mut driver, "a3", 7);
    let conversation = driver.session.conversation();
    let rates = Rates::per_million("0", "1").unwrap();
    let price = |cost: assistant_core::conversation::Cost| {
        cost.priced(|usage| usage.model.is_some().then_some(rates))
            .unwrap()
            .to_string()
    };
    assert_eq!(price(conversation.path_cost()), "0.000017");
    assert_eq!(price(conversation.tree_cost()), "0.000022");
    assert_eq!(price(conversation.cost_up_to(&message_id("a1"))), "0.00001");
    assert_eq!(
        price(conversation.cost_up_to(&message_id("a2"))),
        "0.000015"
    );
}

proptest! {
    #[test]
    fn amounts_round_trip_through_text(whole in 0_u64..10_u64.pow(14), rest in "[0-9]{0,15}") {
        let text = format!("{whole}.{rest}");
        let plain = text.trim_end_matches('0').trim_end_matches('.');
        let amount: Amount = text.parse().unwrap();
        prop_assert_eq!(amount.to_string(), plain);
    }

    #[test]
    fn only_plain_decimals_parse_as_an_amount(text in "[-+0-9.e ]{0,6}") {
        let is_one = !text.is_empty()
            && text.chars().all(|c| c.is_ascii_digit() || c == '.')
            && text.matches('.').count() <= 1
            && text != ".";
        prop_assert_eq!(text.parse::<Amount>().is_ok(), is_one);
    }
}
