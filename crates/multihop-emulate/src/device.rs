//! The TAP devices, by descriptors that the caller has opened.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::process::{PidfdFlags, PidfdGetfdFlags};

use crate::frame::MAX_FRAME_BYTES;

/// Devices that have something are told of at most so many at once.
const BATCH: usize = 64;
/// Frames that are read from a device before the others get their turn.
const FRAMES_A_TURN: usize = 32;

/// The nodes' devices.
pub struct Devices {
    /// By node; none has no programs.
    files: Vec<Option<OwnedFd>>,
    epoll: OwnedFd,
    /// The nodes whose devices have something.
    ready: Vec<usize>,
    buffer: Vec<u8>,
}

impl fmt::Debug for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Devices").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Devices {
    /// The devices of `nodes` nodes: a node and the number of a descriptor in this process for
    /// each. Descriptors are to be non-blocking, and stay the caller's to close.
    ///
    /// # Errors
    /// If a descriptor can't be used.
    pub fn new(nodes: usize, descriptors: &[(u32, i32)]) -> io::Result<Devices> {
        let mut files: Vec<Option<OwnedFd>> = (0..nodes).map(|_| None).collect();
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        // A descriptor that came as a number is duplicated through the process itself, which the
        // type system can follow.
        let this = rustix::process::pidfd_open(rustix::process::getpid(), PidfdFlags::empty())?;
        for &(node, number) in descriptors {
            let file = rustix::process::pidfd_getfd(&this, number, PidfdGetfdFlags::empty())?;
            epoll::add(&epoll, &file, EventData::new_u64(u64::from(node)), EventFlags::IN)?;
            if let Some(place) = files.get_mut(node as usize) {
                *place = Some(file);
            }
        }
        let buffer = vec![0; MAX_FRAME_BYTES + 1];
        Ok(Devices { files, epoll, ready: Vec::with_capacity(BATCH), buffer })
    }

    /// Whether `node` has a device.
    pub fn has(&self, node: usize) -> bool {
        self.files.get(node).is_some_and(Option::is_some)
    }

    /// Waits until a program has sent something, or for `nanos` at most.
    ///
    /// # Errors
    /// If the wait fails; a signal ends it without an error.
    pub fn wait(&mut self, nanos: u64) -> io::Result<()> {
        let second = 1_000_000_000;
        let timeout =
            Timespec { tv_sec: (nanos / second) as i64, tv_nsec: (nanos % second) as i64 };
        let mut events: Vec<Event> = Vec::with_capacity(BATCH);
        let room = rustix::buffer::spare_capacity(&mut events);
        match epoll::wait(&self.epoll, room, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        self.ready.clear();
        self.ready.extend(events.iter().map(|event| event.data.u64() as usize));
        Ok(())
    }

    /// Hands what programs have sent, by node, to `take`. A frame that is too long comes as one of
    /// [`MAX_FRAME_BYTES`] + 1.
    ///
    /// # Errors
    /// If a device is gone.
    pub fn read(&mut self, mut take: impl FnMut(u32, &[u8])) -> io::Result<()> {
        for &node in &self.ready {
            let Some(Some(file)) = self.files.get(node) else { continue };
            for _ in 0..FRAMES_A_TURN {
                match rustix::io::read(file, &mut *self.buffer) {
                    Ok(length) => take(node as u32, &self.buffer[..length]),
                    Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => break,
                    Err(error) => return Err(io::Error::from(error)),
                }
            }
        }
        self.ready.clear();
        Ok(())
    }

    /// Writes `frame` to the device of `node`. Returns whether it was taken: a device that is down
    /// takes none.
    pub fn write(&self, node: usize, frame: &[u8]) -> bool {
        let Some(Some(file)) = self.files.get(node) else { return false };
        rustix::io::write(file.as_fd(), frame).is_ok_and(|length| length == frame.len())
    }
}
