//! Which of a sender's last messages came (sliding windows:
//! draft-wunderlich-openmesh-manet-routing-00 sections 3.2 and 5.4).

/// A jump of more numbers than this is that of a sender which has started anew; ours, as the draft
/// tells of none.
const ANEW: u32 = 1 << 16;

/// The last 64 numbers of a sender.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    /// The newest; none yet if there is none.
    newest: Option<u32>,
    /// Which came, the newest in the lowest bit.
    came: u64,
}

/// What a number is to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noted {
    /// Newer than all before.
    Newer,
    /// Far from all before: the sender has started anew, and what came before counts no longer.
    Anew,
    /// Not the newest, but it had not come.
    Late,
    /// It has come before, or is too old to tell.
    Known,
}

impl Window {
    /// The newest number.
    pub fn newest(&self) -> Option<u32> {
        self.newest
    }

    /// Number `sequence` has come.
    pub fn note(&mut self, sequence: u32) -> Noted {
        let Some(newest) = self.newest else {
            (self.newest, self.came) = (Some(sequence), 1);
            return Noted::Newer;
        };
        let ahead = sequence.wrapping_sub(newest);
        let behind = newest.wrapping_sub(sequence);
        if ahead.min(behind) > ANEW {
            (self.newest, self.came) = (Some(sequence), 1);
            return Noted::Anew;
        }
        if ahead == 0 || ahead > behind {
            let bit = 1_u64.checked_shl(behind).unwrap_or(0);
            if bit == 0 || self.came & bit != 0 {
                return Noted::Known;
            }
            self.came |= bit;
            return Noted::Late;
        }
        self.came = self.came.checked_shl(ahead).unwrap_or(0) | 1;
        self.newest = Some(sequence);
        Noted::Newer
    }

    /// How many of the `size` numbers up to `last` came.
    pub fn count(&self, last: u32, size: u32) -> u32 {
        let Some(newest) = self.newest else { return 0 };
        let behind = last.wrapping_sub(newest);
        // What came after `last` does not count yet.
        let came = match behind {
            0..64 => self.came << behind,
            _ if behind > u32::MAX / 2 => self.came.checked_shr(behind.wrapping_neg()).unwrap_or(0),
            _ => 0,
        };
        (came << (u64::BITS - size)).count_ones()
    }
}
