//! Blocks of a pcapng file (draft-ietf-opsawg-pcapng), little-endian, times in nanoseconds.

use std::io::{self, Write};

/// What the frames of an interface are (LINKTYPE_*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Ethernet's, without check sequence.
    Ethernet = 1,
    /// 802.11's, behind a radiotap header.
    Radiotap = 127,
}

/// Option codes.
mod code {
    pub const END: u16 = 0;
    pub const COMMENT: u16 = 1;
    pub const APPLICATION: u16 = 4;
    pub const NAME: u16 = 2;
    pub const IPV4: u16 = 4;
    pub const MAC: u16 = 6;
    pub const RESOLUTION: u16 = 9;
    pub const FLAGS: u16 = 2;
    pub const PACKET_ID: u16 = 5;
    pub const START_TIME: u16 = 2;
    pub const END_TIME: u16 = 3;
    pub const RECEIVED: u16 = 4;
    pub const DROPPED: u16 = 7;
}

/// Writes blocks.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    block: Vec<u8>,
}

/// A frame at an interface.
#[derive(Debug)]
pub struct Packet<'a> {
    /// The interface, in the order of their blocks.
    pub interface: u32,
    /// When \[ns\].
    pub time_ns: u64,
    /// What is kept of it, in two parts.
    pub data: [&'a [u8]; 2],
    /// How long it was \[bytes\].
    pub length: u32,
    /// Whether it came in, as opposed to went out.
    pub is_inbound: bool,
    /// Whether it was for one node, as opposed to all.
    pub is_unicast: bool,
    /// The same at every interface that has it.
    pub id: u64,
    /// What there is to say about it.
    pub comment: Option<&'a str>,
}

/// What an interface has counted.
#[derive(Clone, Copy, Debug)]
pub struct Statistics {
    /// First and last instant of the capture \[ns\].
    pub span_ns: [u64; 2],
    /// Frames that came in.
    pub received: u64,
    /// Packets dropped by what is above.
    pub dropped: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a file with a section header block.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn new(out: W, application: &str, comment: &str) -> io::Result<Writer<W>> {
        let mut writer = Writer { out, block: Vec::new() };
        writer.block.extend(0x1a2b_3c4d_u32.to_le_bytes());
        writer.block.extend(1_u16.to_le_bytes());
        writer.block.extend(0_u16.to_le_bytes());
        // The length of the section is not said.
        writer.block.extend(u64::MAX.to_le_bytes());
        writer.option(code::COMMENT, &[comment.as_bytes()]);
        writer.option(code::APPLICATION, &[application.as_bytes()]);
        writer.end(0x0a0d_0d0a)?;
        Ok(writer)
    }

    /// Writes an interface description block.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn interface(
        &mut self,
        name: &str,
        link: Link,
        (ipv4, mac): ([u8; 4], [u8; 6]),
        snap: u32,
    ) -> io::Result<()> {
        self.block.extend((link as u16).to_le_bytes());
        self.block.extend(0_u16.to_le_bytes());
        self.block.extend(snap.to_le_bytes());
        self.option(code::NAME, &[name.as_bytes()]);
        self.option(code::IPV4, &[&ipv4, &[255, 0, 0, 0]]);
        self.option(code::MAC, &[&mac]);
        self.option(code::RESOLUTION, &[&[9]]);
        self.end(1)
    }

    /// Writes a name resolution block.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn names(&mut self, names: impl Iterator<Item = ([u8; 4], String)>) -> io::Result<()> {
        for (address, name) in names {
            // Names end with a zero.
            self.option(1, &[&address, name.as_bytes(), &[0]]);
        }
        self.end(4)
    }

    /// Writes an enhanced packet block.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn packet(&mut self, packet: &Packet) -> io::Result<()> {
        let [head, tail] = packet.data;
        let kept = head.len() + tail.len();
        self.block.extend(packet.interface.to_le_bytes());
        self.time(packet.time_ns);
        self.block.extend((kept as u32).to_le_bytes());
        self.block.extend(packet.length.to_le_bytes());
        self.block.extend(head);
        self.block.extend(tail);
        self.pad();
        if let Some(comment) = packet.comment {
            self.option(code::COMMENT, &[comment.as_bytes()]);
        }
        let direction = if packet.is_inbound { 1 } else { 2 };
        let cast = if packet.is_unicast { 1 } else { 3 };
        let flags: u32 = direction | cast << 2;
        self.option(code::FLAGS, &[&flags.to_le_bytes()]);
        self.option(code::PACKET_ID, &[&packet.id.to_le_bytes()]);
        self.end(6)
    }

    /// Writes an interface statistics block.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn statistics(
        &mut self,
        interface: u32,
        statistics: &Statistics,
        comment: Option<&str>,
    ) -> io::Result<()> {
        let Statistics { span_ns: [from_ns, to_ns], received, dropped } = *statistics;
        let time = |at: u64| [(at >> 32) as u32, at as u32].map(u32::to_le_bytes).concat();
        self.block.extend(interface.to_le_bytes());
        self.time(to_ns);
        if let Some(comment) = comment {
            self.option(code::COMMENT, &[comment.as_bytes()]);
        }
        self.option(code::START_TIME, &[&time(from_ns)]);
        self.option(code::END_TIME, &[&time(to_ns)]);
        self.option(code::RECEIVED, &[&received.to_le_bytes()]);
        self.option(code::DROPPED, &[&dropped.to_le_bytes()]);
        self.end(5)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Two words, the high one first.
    fn time(&mut self, at_ns: u64) {
        self.block.extend(((at_ns >> 32) as u32).to_le_bytes());
        self.block.extend((at_ns as u32).to_le_bytes());
    }

    fn option(&mut self, code: u16, parts: &[&[u8]]) {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        self.block.extend(code.to_le_bytes());
        self.block.extend((length as u16).to_le_bytes());
        parts.iter().for_each(|part| self.block.extend(*part));
        self.pad();
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    /// Writes the block, with an end of its options.
    fn end(&mut self, kind: u32) -> io::Result<()> {
        self.block.extend(code::END.to_le_bytes());
        self.block.extend(0_u16.to_le_bytes());
        let length = (self.block.len() as u32 + 12).to_le_bytes();
        self.out.write_all(&kind.to_le_bytes())?;
        self.out.write_all(&length)?;
        self.out.write_all(&self.block)?;
        self.out.write_all(&length)?;
        self.block.clear();
        Ok(())
    }
}
