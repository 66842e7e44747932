//! The order of packets and the numbers of windows.

use super::*;
use crate::kernel::Instant;
use crate::wire::{Body, FlowId, Packet, udp};

const NOW: Instant = Instant::ZERO;

fn packet(number: u32) -> Packet {
    let body = Body::Udp(udp::Datagram::zeros(FlowId(0), number, 100));
    Packet { size_bytes: number, ..Packet::new(NodeId(0), NodeId(1), NOW, body) }
}

/// What goes up as packets with these sequence numbers come.
fn accept(reorder: &mut Reorder, sequences: &[u16]) -> Vec<u32> {
    let mut up = Vec::new();
    for &sequence in sequences {
        reorder.accept(NOW, sequence, packet(sequence.into()), &mut up);
    }
    up.iter().map(|packet| packet.size_bytes).collect()
}

#[test]
fn packets_wait_for_those_before_them() {
    let mut reorder = Reorder::new(10);
    assert_eq!(accept(&mut reorder, &[12, 11]), [0; 0]);
    assert_eq!((reorder.bitmap(10, WINDOW), reorder.due().is_some()), (0b110.into(), true));
    assert_eq!(accept(&mut reorder, &[11, 10]), [10, 11, 12]);
    assert_eq!(accept(&mut reorder, &[10, 12]), [0; 0], "they have come before");
    assert_eq!(
        (reorder.bitmap(10, WINDOW), reorder.bitmap(12, WINDOW), reorder.due()),
        (0b111.into(), 1.into(), None)
    );
}

#[test]
fn the_senders_window_takes_what_is_missing_along() {
    let mut reorder = Reorder::new(0);
    assert_eq!(accept(&mut reorder, &[1, 3, 4, 7]), [0; 0]);
    let mut up = Vec::new();
    reorder.move_to(NOW, 3, &mut up);
    assert_eq!(up.iter().map(|packet| packet.size_bytes).collect::<Vec<_>>(), [1, 3, 4]);
    up.clear();
    reorder.move_to(NOW, 2, &mut up);
    assert!(up.is_empty(), "a window does not move back");
    reorder.move_to(NOW, 100, &mut up);
    assert_eq!((up.len(), reorder.due(), reorder.bitmap(100, WINDOW)), (1, None, 0.into()));
}

#[test]
fn sequence_numbers_begin_again_after_the_last() {
    let mut reorder = Reorder::new(u16::MAX - 1);
    assert_eq!(accept(&mut reorder, &[0, u16::MAX]), [0; 0]);
    assert_eq!(reorder.bitmap(u16::MAX - 1, WINDOW), 0b110.into());
    assert_eq!(accept(&mut reorder, &[u16::MAX - 1]), [65534, 65535, 0]);
    let mut window = Window::default();
    let numbers: Vec<u16> = (0..=65_536).map(|_| window.number(NodeId(3))).collect();
    assert_eq!((numbers[65_535], numbers[65_536], window.number(NodeId(4))), (u16::MAX, 0, 0));
}
