//! The application at one end of a connection: it gives bytes and takes bytes. All are zeros.

use std::collections::VecDeque;

use bytes::Bytes;
use quinn_proto::{Connection, Dir, StreamId};

/// What is written at a time.
static ZEROS: [u8; 65_536] = [0; 65_536];

/// Messages to send.
#[derive(Debug)]
pub struct Outgoing {
    /// Each message has a stream of its own, which ends with it.
    has_streams_of_own: bool,
    /// Messages without a stream yet \[bytes\].
    waiting: VecDeque<u64>,
    /// Streams, and what is still to be written to each \[bytes\].
    open: Vec<(StreamId, u64)>,
}

/// What has arrived, in order on each stream.
#[derive(Debug, Default)]
pub struct Incoming {
    /// Bytes.
    pub bytes: u64,
    /// Streams that have arrived to their ends.
    pub finished: u64,
}

impl Outgoing {
    /// Nothing to send.
    pub fn new(has_streams_of_own: bool) -> Outgoing {
        Outgoing { has_streams_of_own, waiting: VecDeque::new(), open: Vec::new() }
    }

    /// Takes a message of `bytes`.
    pub fn push(&mut self, bytes: u64) {
        let stream = self.open.first_mut().map(|(_, left)| left);
        match stream.or(self.waiting.front_mut()) {
            Some(left) if !self.has_streams_of_own => *left = left.saturating_add(bytes),
            _ => self.waiting.push_back(bytes),
        }
    }

    /// Gives the connection what it takes, once the handshake is over: a server that fills its
    /// window before, with data that the client drops, has no timer to send them again by
    /// (quinn-proto 0.11).
    pub fn write(&mut self, connection: &mut Connection) {
        if connection.is_handshaking() {
            return;
        }
        while let Some(bytes) = self.waiting.front().copied() {
            let Some(stream) = connection.streams().open(Dir::Uni) else { break };
            self.open.push((stream, bytes));
            self.waiting.pop_front();
        }
        for (stream, left) in &mut self.open {
            while *left > 0 {
                let most = (*left).min(ZEROS.len() as u64) as usize;
                let chunk = Bytes::from_static(&ZEROS[..most]);
                match connection.send_stream(*stream).write_chunks(&mut [chunk]) {
                    Ok(written) => *left -= written.bytes as u64,
                    Err(_) => break,
                }
            }
            if *left == 0 && self.has_streams_of_own {
                // It fails only on a connection that is over.
                let _ = connection.send_stream(*stream).finish();
            }
        }
        if self.has_streams_of_own {
            self.open.retain(|&(_, left)| left > 0);
        }
    }
}

impl Incoming {
    /// Takes what the streams have that the other end has opened since.
    pub fn accept(&mut self, connection: &mut Connection) {
        while let Some(stream) = connection.streams().accept(Dir::Uni) {
            self.read(connection, stream);
        }
    }

    /// Takes what `stream` has.
    pub fn read(&mut self, connection: &mut Connection, stream: StreamId) {
        let mut stream = connection.recv_stream(stream);
        let Ok(mut chunks) = stream.read(true) else { return };
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => self.bytes += chunk.bytes.len() as u64,
                Ok(None) => {
                    self.finished += 1;
                    break;
                }
                Err(_) => break,
            }
        }
        // The caller asks for datagrams anyway.
        let _ = chunks.finalize();
    }
}
