//! Puts events in the order of time that were found nearly so: each a little late, and some much.

use super::note::Note;

/// The same notes in the order of time; those of one time stay as they are.
///
/// They are dealt into as many spans of time as there are notes, and each span is sorted by itself.
pub fn by_time(notes: Vec<Note>) -> Vec<Note> {
    let last_ns = notes.iter().map(|note| note.at.as_nanos()).max().unwrap_or(0);
    let shift = (last_ns / notes.len().max(1) as u64 + 1).next_power_of_two().ilog2();
    let span = |note: &Note| (note.at.as_nanos() >> shift) as usize;
    let mut places = vec![0u32; (last_ns >> shift) as usize + 1];
    for note in &notes {
        places[span(note)] += 1;
    }
    let mut before = 0;
    for place in &mut places {
        before += std::mem::replace(place, before);
    }
    let mut sorted = notes.clone();
    for note in &notes {
        let place = &mut places[span(note)];
        sorted[*place as usize] = *note;
        *place += 1;
    }
    let mut begin = 0;
    for end in places {
        let end = end as usize;
        if end - begin > 1 {
            sorted[begin..end].sort_by_key(|note| note.at);
        }
        begin = end;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::capture::row::Happening;
    use crate::kernel::Instant;
    use crate::wire::NodeId;

    proptest! {
        #[test]
        fn notes_are_sorted_as_a_stable_sort_does(
            times in prop::collection::vec(prop_oneof![0u64..50, 0u64..1 << 40], 0..200),
        ) {
            let number = |(place, &ns): (usize, &u64)| {
                Note::new(Instant::from_nanos(ns), Happening::Miss, NodeId(0), place as u32)
            };
            let notes: Vec<Note> = times.iter().enumerate().map(number).collect();
            let mut expected = notes.clone();
            expected.sort_by_key(|note| note.at);
            let key = |notes: Vec<Note>| -> Vec<_> { notes.iter().map(|n| (n.at, n.subject)).collect() };
            prop_assert_eq!(key(by_time(notes)), key(expected));
        }
    }
}
