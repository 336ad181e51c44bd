//! Test cases with two changes in one example, which test the order of reported faults, and faults
//! beside removed fields.
//!
//! An exhaustive test would have too many pairs, so a fixed number is drawn from each example, with
//! a fixed seed.

use serde_json::Value;

use super::scenes::{self, Scene};
use super::{Case, JsonPath, changes_at, collect_paths, write_path};

/// The number of draws from each example. A draw of overlapping locations yields no case.
const OF_EACH: usize = 96;

/// Returns the randomly drawn pairs of changes, which are the same each time.
#[must_use]
pub fn draw_pairs() -> Vec<Case> {
    let mut dice = SplitMix64(1);
    let mut cases = Vec::new();
    for scene in scenes::all_scenes() {
        let mut places = Vec::new();
        collect_paths(&scene.subject, &mut Vec::new(), &mut places);
        // Without the root, which has no siblings.
        places.retain(|place| !place.is_empty());
        for _ in 0..OF_EACH {
            cases.extend(draw_pair(&scene, &places, &mut dice));
        }
    }
    cases
}

/// Draws two separate locations and a change at each; `None` if one location contains the other.
fn draw_pair(scene: &Scene, places: &[JsonPath], dice: &mut SplitMix64) -> Option<Case> {
    let first = dice.draw_item(places)?;
    let second = dice.draw_item(places)?;
    if first.starts_with(second) || second.starts_with(first) {
        return None;
    }
    // The later one first, because a removal shifts the items after it.
    let order = |place: &JsonPath| places.iter().position(|other| other == place);
    let (early, late) = if order(first) < order(second) {
        (first, second)
    } else {
        (second, first)
    };
    let (late_name, subject) = draw_change(&scene.subject, late, dice)?;
    let (early_name, subject) = draw_change(&subject, early, dice)?;
    Some(Case {
        name: format!("{}: {early_name}, {late_name}", scene.name),
        case: scene.with_subject(subject),
    })
}

fn draw_change(
    subject: &Value,
    place: &JsonPath,
    dice: &mut SplitMix64,
) -> Option<(String, Value)> {
    let mut changes = changes_at(subject, place);
    let drawn = dice.draw_below(changes.len())?;
    let (what, subject) = changes.swap_remove(drawn);
    Some((format!("{} {what}", write_path(place)), subject))
}

/// A deterministic pseudorandom generator (`SplitMix64`).
struct SplitMix64(u64);

impl SplitMix64 {
    fn draw_below(&mut self, limit: usize) -> Option<usize> {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^= word >> 31;
        let limit = u64::try_from(limit).ok()?;
        usize::try_from(word.checked_rem(limit)?).ok()
    }

    fn draw_item<'t, T>(&mut self, things: &'t [T]) -> Option<&'t T> {
        let drawn = self.draw_below(things.len())?;
        things.get(drawn)
    }
}
