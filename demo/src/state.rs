//! Defines the state of the page, which the user and the assistant's actions change.

use std::collections::HashMap;

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use crate::browser::time_of_day;

/// The number of seconds for which a changed item is marked.
const MARKED_SECS: u64 = 2;

/// The state of the page. Copying the state is cheap, because it consists of signals.
#[derive(Clone, Copy)]
pub(crate) struct Harbor {
    pub(crate) may_deploy: RwSignal<bool>,
    lanes: [RwSignal<Lane>; 3],
    pub(crate) projects: RwSignal<Vec<Project>>,
    pub(crate) search: RwSignal<Option<Search>>,
    pub(crate) search_open: RwSignal<bool>,
    pub(crate) weather: RwSignal<Option<Weather>>,
    pub(crate) source: RwSignal<&'static str>,
    pub(crate) feed: RwSignal<Vec<FeedEntry>>,
    /// The side of the page that is visible on narrow screens.
    pub(crate) view: RwSignal<PageSide>,
    /// True if the dark colour scheme is active. The initial value is the system's preference, and
    /// the user can change the value.
    pub(crate) dark: RwSignal<bool>,
    marks: RwSignal<HashMap<String, u64>>,
    numbers: RwSignal<u64>,
}

/// The two sides of the page, of which narrow screens show one at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageSide {
    Page,
    Assistant,
}

/// An environment in which versions run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Environment {
    Dev,
    Staging,
    Production,
}

impl Environment {
    pub(crate) const ALL: [Self; 3] = [Self::Dev, Self::Staging, Self::Production];

    /// Returns the name by which the agent refers to the environment.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Staging => "staging",
            Self::Production => "production",
        }
    }

    /// Returns the name of the environment for texts that the user sees.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::Dev => "Development",
            Self::Staging => "Staging",
            Self::Production => "Production",
        }
    }

    pub(crate) const fn flag(self) -> &'static str {
        match self {
            Self::Dev => "d",
            Self::Staging => "s",
            Self::Production => "p",
        }
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        let word = word.to_lowercase();
        let has_name = |env: &Self| env.key() == word || env.title().to_lowercase() == word;
        Self::ALL.into_iter().find(has_name)
    }
}

/// The state of an environment, as shown in its lane.
#[derive(Clone, PartialEq)]
pub(crate) struct Lane {
    pub(crate) version: String,
    pub(crate) status: LaneStatus,
    /// The text about the last change, such as "deployed at 09:12".
    pub(crate) since: String,
}

/// The status of the deployments to an environment.
#[derive(Clone, PartialEq)]
pub(crate) enum LaneStatus {
    Healthy,
    /// The version is being rolled out. The number identifies the deployment.
    RollingOut(u64),
    /// A version passes through the stages of a deployment. `step` is the current stage, counted
    /// from 1.
    Stage {
        version: String,
        step: usize,
    },
}

#[derive(Clone, PartialEq)]
pub(crate) struct Project {
    pub(crate) name: String,
    pub(crate) text: &'static str,
}

/// A search query with its results, or with the reason why the search failed.
#[derive(Clone)]
pub(crate) struct Search {
    pub(crate) query: String,
    pub(crate) result: Result<Vec<Page>, String>,
}

/// A page of the search corpus.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) source: String,
    pub(crate) snippet: String,
}

#[derive(Clone)]
pub(crate) struct Weather {
    pub(crate) place: String,
    pub(crate) degrees: i32,
    pub(crate) sky: &'static str,
    pub(crate) wind: String,
    pub(crate) time: String,
}

/// An entry of the activity feed.
#[derive(Clone)]
pub(crate) struct FeedEntry {
    pub(crate) id: u64,
    pub(crate) time: String,
    pub(crate) text: String,
    pub(crate) author: &'static str,
}

/// The displayed author of changes that the assistant made without approval.
pub(crate) const ASSISTANT: &str = "Assistant";
/// The displayed author of changes that the assistant made with the user's approval.
pub(crate) const ASSISTANT_WITH_APPROVAL: &str = "Assistant, approved by you";
/// The displayed author of changes that the user made.
pub(crate) const USER: &str = "You";

impl Harbor {
    /// Creates the initial state of the page.
    pub(crate) fn new(dark: bool) -> Self {
        let lane = |version: &str, since: &str| {
            RwSignal::new(Lane {
                version: version.to_owned(),
                status: LaneStatus::Healthy,
                since: since.to_owned(),
            })
        };
        let project = |name: &str, text| Project {
            name: name.to_owned(),
            text,
        };
        let projects = vec![
            project("atlas", "Route planning, 12 services"),
            project("atlas-sandbox", "Copy of atlas for trials, 12 services"),
            project("tidewatch", "Water levels and alarms, 4 services"),
            project("quay-scheduler", "Berth bookings, 7 services"),
        ];
        let entry = |id, time: &str, text: &str, author| FeedEntry {
            id,
            time: time.to_owned(),
            text: text.to_owned(),
            author,
        };
        let feed = vec![
            entry(
                2,
                "09:12",
                "Version 2.5.0-rc.2 deployed to development",
                "Dana Okafor",
            ),
            entry(
                1,
                "08:47",
                "Berth 14 reports water levels again",
                "Tidewatch",
            ),
        ];
        Self {
            may_deploy: RwSignal::new(true),
            lanes: [
                lane("2.5.0-rc.2", "deployed at 09:12"),
                lane("2.3.1", "deployed yesterday"),
                lane("2.3.1", "deployed on Tuesday"),
            ],
            projects: RwSignal::new(projects),
            search: RwSignal::new(None),
            search_open: RwSignal::new(true),
            weather: RwSignal::new(None),
            source: RwSignal::new("Orders warehouse"),
            feed: RwSignal::new(feed),
            view: RwSignal::new(PageSide::Assistant),
            dark: RwSignal::new(dark),
            marks: RwSignal::new(HashMap::new()),
            numbers: RwSignal::new(1041),
        }
    }

    pub(crate) fn lane(self, env: Environment) -> RwSignal<Lane> {
        let [dev, staging, production] = self.lanes;
        match env {
            Environment::Dev => dev,
            Environment::Staging => staging,
            Environment::Production => production,
        }
    }

    /// Returns a new number, which is unique in the page.
    pub(crate) fn take_number(self) -> u64 {
        self.numbers.update_untracked(|number| *number += 1);
        self.numbers.get_untracked()
    }

    /// Adds an entry to the activity feed.
    pub(crate) fn add_entry(self, text: impl Into<String>, author: &'static str) {
        let entry = FeedEntry {
            id: self.take_number(),
            time: time_of_day(),
            text: text.into(),
            author,
        };
        let id = entry.id;
        self.feed.update(|feed| feed.insert(0, entry));
        self.mark(format!("feed {id}"));
    }

    /// Marks an item as changed. The mark begins with the next animation frame and ends
    /// [`MARKED_SECS`] seconds after this call. Marking the item again restarts the time.
    pub(crate) fn mark(self, key: impl Into<String>) {
        let (key, number) = (key.into(), self.take_number());
        self.marks.update(|marks| {
            marks.remove(&key);
        });
        let marked_key = key.clone();
        // The key is inserted in a later frame than it is removed, so that the fade of the colour
        // restarts.
        request_animation_frame(move || {
            self.marks.update(|marks| {
                marks.insert(marked_key, number);
            });
        });
        let duration = std::time::Duration::from_secs(MARKED_SECS);
        set_timeout(
            move || {
                if self
                    .marks
                    .with_untracked(|marks| marks.get(&key) == Some(&number))
                {
                    self.marks.update(|marks| {
                        marks.remove(&key);
                    });
                }
            },
            duration,
        );
    }

    /// Returns the value of the attribute `data-changed` for an item. The value is the empty string
    /// while the item is marked, and `None` if it is not.
    pub(crate) fn changed_attribute(self, key: &str) -> Option<&'static str> {
        self.marks
            .with(|marks| marks.contains_key(key))
            .then_some("")
    }

    /// Deletes a project and adds an entry to the activity feed. Returns false if the project does
    /// not exist.
    pub(crate) fn delete_project(self, name: &str, author: &'static str) -> bool {
        let previous_count = self.projects.with_untracked(Vec::len);
        self.projects
            .update(|projects| projects.retain(|project| project.name != name));
        let is_deleted = self.projects.with_untracked(Vec::len) < previous_count;
        if is_deleted {
            self.add_entry(format!("Project {name} deleted"), author);
        }
        is_deleted
    }
}
