//! The data of the demo: searchable pages, data sources, and the weather.

use crate::state::Page;

/// The searchable pages, each with title, host and text.
const CORPUS: [(&str, &str, &str); 12] = [
    (
        "Tide tables for Rotterdam, 2026",
        "tides.example",
        "High and low water for every day of the year, Hook of Holland and Maassluis.",
    ),
    (
        "Reading a tide table",
        "portnotes.example",
        "What datum, range and slack water mean for a berth window.",
    ),
    (
        "Crabs on the quay wall",
        "portnotes.example",
        "Which species settle in fenders, and when divers clear them.",
    ),
    (
        "Berth windows and draught",
        "pilotage.example",
        "How much water a loaded vessel needs at berth, by class.",
    ),
    (
        "Tug availability, Europoort",
        "tugs.example",
        "Boats on call by the hour, with bollard pull and crew.",
    ),
    (
        "Rust for port software",
        "quaycode.example",
        "Scheduling, telemetry and web panels in one language.",
    ),
    (
        "Leptos in a control room",
        "quaycode.example",
        "Signals for dashboards that must not flicker.",
    ),
    (
        "Container dwell times",
        "boxstats.example",
        "Days in the yard by terminal, month and cargo.",
    ),
    (
        "Fog on the Nieuwe Waterweg",
        "weatherlog.example",
        "Hours of poor visibility and what they cost in delays.",
    ),
    (
        "Shore power at berth",
        "greenport.example",
        "Which berths have sockets and what a connection takes.",
    ),
    (
        "Lock times at IJmuiden",
        "locks.example",
        "Waiting times by hour for the sea lock.",
    ),
    (
        "Mooring lines and wind",
        "pilotage.example",
        "How many lines to put out from 25 knots upwards.",
    ),
];

/// The maximum number of search results.
const MAX_RESULTS: usize = 4;
/// The words that are ignored in queries.
const SMALL: [&str; 10] = ["a", "an", "and", "at", "for", "in", "of", "on", "the", "to"];

/// Returns the pages that contain the most words of the query, in the order of the corpus, and at
/// most [`MAX_RESULTS`].
pub(crate) fn find_pages(query: &str) -> Vec<Page> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !SMALL.contains(word))
        .map(|word| word.strip_suffix('s').unwrap_or(word))
        .collect();
    let hits = CORPUS.iter().map(|page| {
        let text = format!("{} {}", page.0, page.2).to_lowercase();
        let text: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        let is_there = |word: &&&str| text.iter().any(|other| other.starts_with(**word));
        (words.iter().filter(is_there).count(), page)
    });
    let mut hits: Vec<_> = hits.filter(|(count, _)| *count > 0).collect();
    // Stable: equally good pages stay in the order of the corpus.
    hits.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    // A page with half of the words is no match next to one with all of them.
    let best = hits.first().map_or(0, |(count, _)| *count);
    hits.into_iter()
        .filter(|(count, _)| *count == best)
        .take(MAX_RESULTS)
        .map(|(_, (title, source, snippet))| Page {
            title: (*title).to_owned(),
            source: (*source).to_owned(),
            snippet: (*snippet).to_owned(),
        })
        .collect()
}

/// A data source, with the words for the kinds of data that it contains.
pub(crate) struct DataSource {
    pub(crate) name: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) extent: &'static str,
    holds: &'static [&'static str],
}

pub(crate) const SOURCES: [DataSource; 3] = [
    DataSource {
        name: "Orders warehouse",
        kind: "PostgreSQL",
        extent: "48 tables",
        holds: &["table", "sql", "order", "postgresql", "report"],
    },
    DataSource {
        name: "Berth telemetry",
        kind: "Time series",
        extent: "1.2 billion points",
        holds: &["metric", "time series", "telemetry", "sensor"],
    },
    DataSource {
        name: "Customer events",
        kind: "Parquet",
        extent: "partitioned by day",
        holds: &["log", "event", "parquet"],
    },
];

/// Returns the data sources that have data of the given kinds; all sources if no kind is given.
pub(crate) fn sources(kinds: &[String]) -> impl Iterator<Item = &'static DataSource> {
    let kinds: Vec<String> = kinds.iter().map(|kind| kind.to_lowercase()).collect();
    SOURCES.iter().filter(move |source| {
        let holds = |kind: &String| source.holds.iter().any(|held| kind.contains(held));
        kinds.is_empty() || kinds.iter().any(holds)
    })
}

/// Returns the temperature in °C, the sky and the wind at a place. The values depend only on the
/// place.
pub(crate) fn weather(place: &str) -> (i32, &'static str, String) {
    const SKIES: [&str; 5] = ["Clear", "Some clouds", "Overcast", "Light rain", "Fog"];
    const WINDS: [&str; 4] = ["north", "east", "south-west", "west"];
    if place.eq_ignore_ascii_case("rotterdam") {
        return (
            14,
            "Light rain",
            "wind 18 kn from the south-west".to_owned(),
        );
    }
    let sum = place.to_lowercase().chars().fold(7_u32, |sum, c| {
        sum.wrapping_mul(31).wrapping_add(u32::from(c))
    });
    let pick = |from: u32, count: usize| usize::try_from(from).unwrap_or(0) % count;
    let degrees = 4 + i32::try_from(sum % 19).unwrap_or(0);
    let sky = SKIES
        .get(pick(sum / 19, SKIES.len()))
        .copied()
        .unwrap_or("Clear");
    let from = WINDS
        .get(pick(sum / 95, WINDS.len()))
        .copied()
        .unwrap_or("west");
    (
        degrees,
        sky,
        format!("wind {} kn from the {from}", 3 + sum % 23),
    )
}
