//! Puts events in the order of time that were found nearly so: each a little late, and some much.

use super::note::Note;

/// The same notes in the order of time; those of one time stay as they are.
///
/// They are dealt into as many spans of time as there are notes, and each span is sorted by itself.
pub fn by_time(notes: Vec<Note>) -> Vec<Note> {
    let time = |note: &Note| note.at.as_nanos();
    let Some(first_ns) = notes.iter().map(time).min() else { return notes };
    let length_ns = notes.iter().map(time).max().unwrap_or(first_ns) - first_ns;
    let span_ns = length_ns / notes.len() as u64 + 1;
    let shift = span_ns.next_power_of_two().ilog2();
    let span = |note: &Note| ((time(note) - first_ns) >> shift) as usize;
    let mut ends = vec![0u32; (length_ns >> shift) as usize + 2];
    for note in &notes {
        ends[span(note) + 1] += 1;
    }
    for span in 1..ends.len() {
        ends[span] += ends[span - 1];
    }
    let mut sorted = notes.clone();
    for note in &notes {
        let place = &mut ends[span(note)];
        sorted[*place as usize] = *note;
        *place += 1;
    }
    let mut rest = &mut sorted[..];
    let mut begin = 0;
    for end in ends {
        let (here, after) = rest.split_at_mut((end - begin) as usize);
        here.sort_by_key(|note| note.at);
        (rest, begin) = (after, end);
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
