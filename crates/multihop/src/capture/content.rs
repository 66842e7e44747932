//! What packets are called: messages of routing by the names that their protocol gives them.

use super::row::Row;
use crate::wire::{Content, Packet};

/// The place of a message's name among `messages`, counted from 1; 0 for all that has none.
pub fn named(packet: &Packet, messages: &[&str]) -> u8 {
    if Content::of(packet) != Content::Routing {
        return 0;
    }
    let name = packet.message().map_or("", |message| message.name());
    let place = messages.iter().position(|known| *known == name);
    place.and_then(|place| u8::try_from(place + 1).ok()).unwrap_or(0)
}

/// The code of what a packet is: the words of [`Content`] come first, then the names of messages.
pub fn code(row: &Row) -> u8 {
    match row.named {
        0 => row.content as u8,
        place => (Content::WORDS.len() as u8 - 1).saturating_add(place),
    }
}

/// The word for `content`, or the name of the message if it has one.
pub fn word(content: Content, named: u8, messages: &[&'static str]) -> &'static str {
    match named {
        0 => content.word(),
        place => messages[usize::from(place) - 1],
    }
}
