//! Which vector each one was made from, and by which edit.
//!
//! Nobody writes this down: two vectors are one edit apart where the files under test are the same but for one change, or where the
//! verifier is given the same but for one setting.

use std::collections::HashMap;

use crate::json::Json;
use crate::pki::sha256;
use crate::places;
use crate::vectors::Vector;

/// Where a vector comes from.
pub(crate) struct Origin {
    /// The index of the parent.
    pub(crate) parent: usize,
    /// Changes and settings between the two.
    pub(crate) edits: usize,
    /// Members of the entry that differ, with a pointer behind `#` where the member is a file under test.
    pub(crate) places: Vec<String>,
}

/// The origin of every vector, in their order; none for a root.
///
/// The parent is the vector that is the fewest edits away. It has fewer changes than its child, or as many and fewer settings, or it
/// stands earlier; so nothing is its own ancestor.
pub(crate) fn of(vectors: &[Vector]) -> Vec<Option<Origin>> {
    let made: Vec<Made> = vectors.iter().map(Made::of).collect();
    let under_test: Vec<_> = vectors.iter().map(Vector::under_test).collect();
    let mut finished: HashMap<[u8; 32], Vec<usize>> = HashMap::new();
    for (index, made) in made.iter().enumerate() {
        finished.entry(made.stages[0]).or_default().push(index);
    }
    let rank = |index: usize| (made[index].stages.len(), made[index].settings.iter().filter(|(_, value)| value.is_some()).count(), index);
    let origin = |child: usize| {
        let mut nearest: Option<(usize, usize)> = None;
        for (changes, stage) in made[child].stages.iter().enumerate() {
            for parent in finished.get(stage).into_iter().flatten().copied().filter(|parent| rank(*parent) < rank(child)) {
                let edits = changes + settings_between(&made[parent], &made[child]).len();
                if nearest.is_none_or(|(fewest, nearest)| (edits, rank(parent)) < (fewest, rank(nearest))) {
                    nearest = Some((edits, parent));
                }
            }
        }
        let (edits, parent) = nearest?;
        assert_ne!(edits, 0, "{} is the same as {}", vectors[child].id, vectors[parent].id);
        let mut places: Vec<String> = settings_between(&made[parent], &made[child]).into_iter().map(str::to_owned).collect();
        places.extend(places_between(&under_test[parent], &under_test[child], &vectors[child].paths()));
        Some(Origin { parent, edits, places })
    };
    (0..vectors.len()).map(origin).collect()
}

/// What a vector consists of.
struct Made {
    /// Digests of the files under test, as [`Vector::stages`] gives them.
    stages: Vec<[u8; 32]>,
    settings: Vec<(&'static str, Option<Json>)>,
}

impl Made {
    fn of(vector: &Vector) -> Self {
        let digest = |files: Vec<Vec<u8>>| sha256(files.iter().flat_map(sha256).collect::<Vec<u8>>());
        Self { stages: vector.stages().into_iter().map(digest).collect(), settings: vector.settings() }
    }
}

/// The names of the settings that differ.
fn settings_between(old: &Made, new: &Made) -> Vec<&'static str> {
    let differing = old.settings.iter().zip(&new.settings).filter(|(old, new)| old != new);
    differing.map(|(_, (name, _))| *name).collect()
}

/// The places in which the files under test differ.
fn places_between(old: &[Vec<u8>], new: &[Vec<u8>], names: &[(&'static str, String)]) -> Vec<String> {
    let files = old.iter().zip(new).zip(names).filter(|((old, new), _)| old != new);
    let places = files.flat_map(|((old, new), (member, _))| {
        let places = if *member == "quote" { places::of_quotes(old, new) } else { places::of_documents(old, new) };
        places.into_iter().map(move |place| format!("{member}#{place}"))
    });
    places.collect()
}
