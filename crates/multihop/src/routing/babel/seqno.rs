//! Sequence numbers modulo 2^16 (section 3.2.1), and distances compared by them (section 3.5.1).

/// A sequence number, of a node, an update or a Hello.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seqno(pub u16);

impl Seqno {
    /// The sum with `n`, modulo 2^16.
    #[must_use]
    pub const fn plus(self, n: u16) -> Seqno {
        Seqno(self.0.wrapping_add(n))
    }

    /// How far it is ahead of `other`, modulo 2^16.
    pub const fn ahead_of(self, other: Seqno) -> u16 {
        self.0.wrapping_sub(other.0)
    }

    /// Whether it is less than `other`.
    pub const fn is_less_than(self, other: Seqno) -> bool {
        let ahead = other.ahead_of(self);
        0 < ahead && ahead < 1 << 15
    }
}

/// The metric of a retraction, and the cost of a link that does not work.
pub const INFINITY: u16 = u16::MAX;

/// What an update announces, or the best of what a node has announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// The originator's sequence number.
    pub seqno: Seqno,
    /// The metric.
    pub metric: u16,
}

impl Distance {
    /// Whether it is strictly better than `other`: newer, or as new and nearer.
    pub const fn is_better_than(self, other: Distance) -> bool {
        other.seqno.is_less_than(self.seqno)
            || self.seqno.0 == other.seqno.0 && self.metric < other.metric
    }
}

/// The sum of two metrics or costs; infinite if one is, or if it does not fit.
pub const fn add(a: u16, b: u16) -> u16 {
    a.saturating_add(b)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // Section 3.2.1.
    #[test]
    fn sequence_numbers_are_compared_modulo_two_to_the_sixteen() {
        let less = |a, b| Seqno(a).is_less_than(Seqno(b));
        assert!(less(0, 1) && less(65535, 0) && less(65000, 100) && less(0, 32767));
        assert!(!less(0, 0) && !less(0, 32768) && !less(32768, 0) && !less(1, 0));
        assert_eq!(Seqno(65535).plus(2), Seqno(1));
    }

    // Section 3.5.1.
    #[test]
    fn a_distance_is_better_if_it_is_newer_or_as_new_and_nearer() {
        let distance = |seqno, metric| Distance { seqno: Seqno(seqno), metric };
        assert!(distance(1, 900).is_better_than(distance(0, 1)));
        assert!(distance(0, 900).is_better_than(distance(65535, 1)));
        assert!(distance(7, 1).is_better_than(distance(7, 2)));
        assert!(!distance(7, 2).is_better_than(distance(7, 2)));
        assert!(!distance(6, 1).is_better_than(distance(7, 2)));
    }

    // Section 3.5.2.
    #[test]
    fn a_sum_that_does_not_fit_is_infinite() {
        assert_eq!(add(65000, 500), 65500);
        assert_eq!([add(65000, 535), add(INFINITY, 1), add(1, INFINITY)], [INFINITY; 3]);
    }

    proptest! {
        #[test]
        fn of_two_sequence_numbers_at_most_one_is_less(a: u16, b: u16) {
            let (a, b) = (Seqno(a), Seqno(b));
            prop_assert!(!(a.is_less_than(b) && b.is_less_than(a)));
            prop_assert_eq!(a.is_less_than(b) || b.is_less_than(a), a != b && a.ahead_of(b) != 1 << 15);
        }
    }
}
