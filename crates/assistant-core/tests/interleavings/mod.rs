//! Random schedules: the rules about calls hold for any order of events.
//!
//! Use `PROPTEST_CASES=100000` for a long search. A failure prints the shortest failing schedule in
//! terms of [`act::Act`].

mod act;
mod acts;
mod branches;
mod mirror;
mod people;
mod record;
mod rewrite;
mod world;

use proptest::{prelude::*, test_runner::RngSeed};

use act::{Schedule, schedule};
use world::World;

/// Executes a schedule.
fn play(options: u8, schedule: &Schedule) {
    let mut world = World::new(options);
    world.send(None);
    for act in &schedule.0 {
        world.act(act);
    }
    world.settle();
    // The thread still accepts a message, and its request is complete.
    world.send(None);
    if !world.driver.session.is_streaming() {
        // A pending answer may have become outdated, so that the user is asked again first.
        assert!(world.driver.session.waits_for_person());
        world.settle();
        assert_eq!(world.driver.session.queued(), []);
    }
}

/// Returns the configuration. Without `PROPTEST_CASES`, each run tries the same cases, so that a rare
/// failure is found by a search and not by an unrelated change.
fn config() -> ProptestConfig {
    let is_set = |name| std::env::var_os(name).is_some();
    let mut config = ProptestConfig {
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    };
    if !is_set("PROPTEST_CASES") {
        config.cases = 300;
        if !is_set("PROPTEST_RNG_SEED") {
            config.rng_seed = RngSeed::Fixed(1);
        }
    }
    config
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_random_schedule_keeps_the_invariants(
        options in any::<u8>(),
        schedule in schedule(),
    ) {
        play(options, &schedule);
    }
}

/// A call arrives after the answer to the question about it, and the run with the answer fails: the
/// next message waits until the question is answered again.
#[test]
fn a_message_waits_until_a_reopened_question_is_answered() {
    use act::{Act, AnswerFormat, Args, BadEnd, Id, Parent};
    let id = || Id { back: 0, slot: 3 };
    let calls = vec![id()];
    let call = Act::Call {
        call: id(),
        name: 0,
        args: Args::Object,
        parent: Parent::None,
    };
    let schedule = vec![
        Act::Interrupt {
            format: AnswerFormat::Card,
            calls,
        },
        Act::Proceed(0),
        call,
        Act::EndBadly(BadEnd::Network),
    ];
    play(0, &Schedule(schedule));
}

/// A regeneration ends without an answer, while the old branch has a later message that was not
/// answered either: Retry repeats the regeneration.
#[test]
fn retry_repeats_a_regeneration_without_an_answer() {
    use act::{Act, Args, Id, Parent, Shake, Tree};
    let call = Act::Call {
        call: Id { back: 0, slot: 0 },
        name: 0,
        args: Args::Object,
        parent: Parent::None,
    };
    let schedule = vec![
        Act::Proceed(0),
        Act::Proceed(0),
        call,
        Act::Shake(Shake::Reload),
        Act::Proceed(0),
        Act::Proceed(0),
        Act::Tree(Tree::Regenerate(74)),
        Act::Proceed(0),
        Act::Shake(Shake::Retry),
    ];
    play(0, &Schedule(schedule));
}

/// A run without an answer is followed by a run for a message that was sent meanwhile: Retry
/// repeats the second run.
#[test]
fn retry_repeats_the_run_of_an_interjected_message() {
    use act::{Act, Shake, Tree};
    let schedule = vec![
        Act::Tree(Tree::Interject),
        Act::Proceed(0),
        Act::Proceed(0),
        Act::Shake(Shake::Retry),
    ];
    play(0, &Schedule(schedule));
}

/// The path of the run has a gap where a list dropped a message, and the user selects a message on
/// another branch: that branch stays chosen, also in an export.
#[test]
fn a_branch_that_is_selected_beside_a_gap_stays_chosen() {
    use act::{Act, Id, Parent, Tree};
    use rewrite::Rewrite;
    let call = |back| Id { back, slot: 0 };
    let schedule = vec![
        Act::Result { call: call(0) },
        Act::Finish,
        Act::Proceed(0),
        Act::Snapshot(vec![Rewrite::Drop(119)]),
        Act::Start {
            call: call(1),
            name: 0,
            parent: Parent::None,
        },
        Act::Tree(Tree::Select {
            message: 13,
            exact: false,
        }),
    ];
    play(0, &Schedule(schedule));
}

/// A call left on a branch is followed by its result, regardless of the position of the original's.
#[test]
fn a_result_is_listed_after_a_copied_call() {
    use act::{Act, Args, Ends, Id, Parent, Tree};
    use rewrite::Rewrite;
    let call = |slot, name, parent| Act::Call {
        call: Id { back: 0, slot },
        name,
        args: Args::Object,
        parent,
    };
    let handler = Act::Handler {
        pick: 0,
        ends: Ends::Value(0),
        twice: false,
    };
    let select = Tree::Select {
        message: 87,
        exact: true,
    };
    let on = || Act::Proceed(0);
    let schedule = vec![
        Act::Finish,
        on(),
        on(),
        on(),
        call(0, 23, Parent::Newest),
        on(),
        on(),
        handler,
        call(1, 83, Parent::None),
        on(),
        on(),
        on(),
        Act::Snapshot(vec![Rewrite::RepeatCall(32, 115)]),
        on(),
        on(),
        Act::Tree(select),
        on(),
        on(),
        call(0, 0, Parent::Newest),
    ];
    play(0, &Schedule(schedule));
}

/// A result that a list places after another message than its call's is copied together with it.
#[test]
fn a_result_is_listed_once_when_a_message_is_copied() {
    use act::{Act, Args, Id, Parent, Tree};
    use rewrite::Rewrite;
    let id = |back, slot| Id { back, slot };
    let call = |call, name, args| Act::Call {
        call,
        name,
        args,
        parent: Parent::Run,
    };
    let on = || Act::Proceed(0);
    let select = Tree::Select {
        message: 87,
        exact: true,
    };
    let schedule = vec![
        Act::Finish,
        on(),
        Act::Result { call: id(0, 1) },
        call(id(0, 3), 0, Args::Object),
        call(id(0, 0), 141, Args::Object),
        call(id(1, 0), 0, Args::List),
        Act::Result { call: id(0, 3) },
        Act::Snapshot(vec![
            Rewrite::AddMessage(168, 0, Args::Object),
            Rewrite::MoveCall(62, 109),
        ]),
        on(),
        Act::Tree(Tree::Edit(165)),
        Act::Tree(select),
        Act::Snapshot(Vec::new()),
        on(),
        on(),
        Act::More {
            call: id(0, 0),
            args: Args::Object,
        },
        Act::Call {
            call: id(0, 0),
            name: 0,
            args: Args::Object,
            parent: Parent::Newest,
        },
    ];
    play(104, &Schedule(schedule));
}

/// A list moves a call out of a message and leaves the message as a branch: both are reported.
#[test]
fn a_message_that_becomes_a_branch_is_reported_without_its_call() {
    use act::{Act, Args, Choice, Id, Parent};
    use rewrite::Rewrite;
    let call = |slot, name, parent| Act::Call {
        call: Id { back: 0, slot },
        name,
        args: Args::Object,
        parent,
    };
    let approve = || Act::Decide {
        pick: 0,
        choice: Choice::Approve,
        twice: false,
        late: false,
    };
    let on = || Act::Proceed(0);
    let schedule = vec![
        call(2, 78, Parent::None),
        call(3, 158, Parent::None),
        call(0, 113, Parent::None),
        Act::Registry {
            name: 143,
            rules: 4,
        },
        on(),
        on(),
        on(),
        on(),
        Act::Snapshot(vec![Rewrite::Merge(230)]),
        call(3, 158, Parent::None),
        Act::Finish,
        approve(),
        call(3, 0, Parent::None),
        call(0, 228, Parent::Newest),
        approve(),
        Act::Snapshot(vec![Rewrite::MoveCall(87, 33)]),
        Act::Snapshot(vec![Rewrite::Foreign(121), Rewrite::Drop(55)]),
    ];
    play(134, &Schedule(schedule));
}

/// Calls that left the branch of their stopped run: one that was handed off, and one that was not
/// checked yet.
#[test]
fn calls_off_the_branch_of_a_stopped_run_do_not_keep_the_session_busy() {
    use act::{Act, Args, Id, Parent, Shake, Tree};
    use rewrite::Rewrite;
    let call = |back, name, parent| Act::Call {
        call: Id { back, slot: 0 },
        name,
        args: Args::Object,
        parent,
    };
    let on = || Act::Proceed(0);
    for late in [None, Some(call(1, 15, Parent::Run))] {
        let parent = || match late {
            Some(_) => Parent::Run,
            None => Parent::None,
        };
        let mut schedule = vec![Act::Finish];
        schedule.extend((0..6).map(|_| call(0, 0, Parent::None)));
        schedule.extend([on(), call(0, 158, parent()), on(), on()]);
        schedule.extend(late.clone());
        schedule.extend([
            Act::Snapshot(vec![Rewrite::Merge(0)]),
            Act::Shake(Shake::Stop),
            Act::Tree(Tree::Select {
                message: 0,
                exact: false,
            }),
        ]);
        play(0, &Schedule(schedule));
    }
}

/// The page asks about a call, then the agent does, and meanwhile the page's rule changes to permit
/// it: the call still waits for the user.
#[test]
fn a_call_waits_for_the_user_although_the_agent_asks_too() {
    use act::{Act, AnswerFormat, Args, Id, Parent};
    let id = || Id { back: 0, slot: 3 };
    let schedule = vec![
        Act::Send { rule: Some(true) },
        Act::Call {
            call: id(),
            name: 192,
            args: Args::Object,
            parent: Parent::None,
        },
        Act::Interrupt {
            format: AnswerFormat::Form,
            calls: vec![id()],
        },
        Act::Send { rule: None },
    ];
    play(0, &Schedule(schedule));
}

/// Open calls of a branch that a deletion left behind are ended.
#[test]
fn a_branch_that_replaces_a_deleted_one_has_no_open_calls() {
    use act::{Act, Args, Id, Parent, Tree};
    use rewrite::Rewrite;
    let schedule = vec![
        Act::Text { message: 0 },
        Act::Send { rule: None },
        Act::Snapshot(Vec::new()),
        Act::Send { rule: None },
        Act::Call {
            call: Id { back: 0, slot: 0 },
            name: 51,
            args: Args::Object,
            parent: Parent::Newest,
        },
        Act::Proceed(200),
        Act::Snapshot(vec![Rewrite::Merge(0)]),
        Act::Commit { pick: 0, ok: false },
        Act::Send { rule: None },
        Act::Send { rule: None },
        Act::Send { rule: None },
        Act::Proceed(0),
        Act::Proceed(0),
        Act::Tree(Tree::Delete(137)),
    ];
    play(56, &Schedule(schedule));
}

/// A list joins two messages, and the call of the second is copied with the first: it is listed
/// once.
#[test]
fn a_call_is_listed_once_when_its_message_is_merged_into_a_shared_one() {
    use act::{Act, Args, Id, Parent, Tree};
    use rewrite::Rewrite;
    let call = |slot, name, args, parent| Act::Call {
        call: Id { back: 0, slot },
        name,
        args,
        parent,
    };
    let select = |message, exact| Act::Tree(Tree::Select { message, exact });
    let on = || Act::Proceed(0);
    let schedule = vec![
        call(0, 0, Args::List, Parent::None),
        call(1, 218, Args::Object, Parent::Run),
        on(),
        on(),
        on(),
        call(0, 0, Args::Object, Parent::None),
        on(),
        on(),
        on(),
        Act::Text { message: 133 },
        select(197, true),
        on(),
        on(),
        Act::Snapshot(vec![Rewrite::Merge(56)]),
        on(),
        select(68, false),
    ];
    play(0, &Schedule(schedule));
}

/// Lists omit the message of an answered question, and the run with the answer fails: Retry repeats
/// this run from the omitted message, with the answer.
#[test]
fn retry_repeats_an_answer_to_a_question_of_an_omitted_message() {
    use act::{Act, AnswerFormat, Args, BadEnd, Id, Parent, Shake};
    use rewrite::Rewrite;
    let id = || Id { back: 0, slot: 0 };
    let call = || Act::Call {
        call: id(),
        name: 0,
        args: Args::Object,
        parent: Parent::None,
    };
    let ask = || Act::Interrupt {
        format: AnswerFormat::Card,
        calls: vec![id()],
    };
    let schedule = vec![
        ask(),
        Act::Shake(Shake::Stop),
        Act::Send { rule: None },
        Act::Proceed(0),
        ask(),
        call(),
        Act::Proceed(0),
        Act::Snapshot(vec![Rewrite::Drop(0)]),
        call(),
        Act::Snapshot(vec![Rewrite::Drop(20)]),
        Act::EndBadly(BadEnd::Network),
        Act::Shake(Shake::Retry),
    ];
    play(0, &Schedule(schedule));
}

/// Each of three runs ends without an answer: Retry repeats the last one.
#[test]
fn retry_repeats_the_last_of_several_runs_without_an_answer() {
    use act::{Act, Shake, Tree};
    let schedule = vec![
        Act::Tree(Tree::Interject),
        Act::Proceed(0),
        Act::Tree(Tree::Interject),
        Act::Proceed(0),
        Act::Finish,
        Act::Shake(Shake::Retry),
    ];
    play(0, &Schedule(schedule));
}
