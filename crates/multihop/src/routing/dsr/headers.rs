//! Headers of packets that are over, used again, so that a node's packets need no memory of their
//! own.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::wire::dsr::Header;

/// Headers that are kept: those of more packets than a window has on their way.
const MOST: usize = 64;

/// Headers of a node's latest packets.
#[derive(Debug, Default)]
pub(super) struct Headers(VecDeque<Arc<Header>>);

impl Headers {
    /// `header`, in the place of the oldest that is kept if no packet has that any more.
    pub fn share(&mut self, header: Header) -> Arc<Header> {
        if let Some(place) = self.0.front_mut().and_then(Arc::get_mut) {
            *place = header;
            self.0.rotate_left(1);
        } else {
            if self.0.len() == MOST {
                self.0.pop_front();
            }
            self.0.push_back(Arc::new(header));
        }
        self.0.back().map(Arc::clone).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(id: u64) -> Header {
        Header { id, ..Header::default() }
    }

    #[test]
    fn a_header_takes_the_place_of_one_that_no_packet_has_any_more() {
        let mut headers = Headers::default();
        let first = headers.share(header(1));
        let second = headers.share(header(2));
        let place = Arc::as_ptr(&first);
        assert_eq!([first.id, second.id], [1, 2]);
        drop(first);
        let third = headers.share(header(3));
        assert_eq!((third.id, second.id, Arc::as_ptr(&third)), (3, 2, place));
    }

    #[test]
    fn no_more_than_so_many_are_kept() {
        let mut headers = Headers::default();
        let all: Vec<_> = (0..200).map(|id| headers.share(header(id))).collect();
        assert!((0..).zip(&all).all(|(id, header)| header.id == id));
        assert_eq!(headers.0.len(), MOST);
    }
}
