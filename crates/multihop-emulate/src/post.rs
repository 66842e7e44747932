//! What programs have sent, sorted by where it goes.

use multihop::api::simulation::Simulation;
use multihop::api::wire::NodeId;

use crate::frame::{Fate, Link, sender_of};
use crate::report::FrameCounts;

/// Frames of programs on their way to the simulation, or back.
#[derive(Debug)]
pub(crate) struct Post {
    link: Link,
    pub frames: FrameCounts,
    /// Sender, destination and frame.
    pub outgoing: Vec<(NodeId, NodeId, Vec<u8>)>,
    /// Who has asked, and the answer.
    pub answers: Vec<(u32, Vec<u8>)>,
}

impl Post {
    pub fn new(link: Link) -> Post {
        Post { link, frames: FrameCounts::default(), outgoing: Vec::new(), answers: Vec::new() }
    }

    /// A program at `node` has sent `frame`.
    pub fn take(&mut self, node: u32, frame: &[u8]) {
        let frames = &mut self.frames;
        match self.link.fate(node, frame) {
            Fate::To(to) => {
                frames.sent += 1;
                self.outgoing.push((NodeId(node), NodeId(to), frame.to_vec()));
            }
            Fate::ToAll => {
                frames.broadcast += 1;
                self.outgoing.push((NodeId(node), NodeId::BROADCAST, frame.to_vec()));
            }
            Fate::Answer(answer) => {
                frames.answered += 1;
                self.answers.push((node, answer));
            }
            Fate::Ignored => frames.ignored += 1,
            Fate::Unknown => frames.unknown += 1,
            Fate::Malformed => frames.malformed += 1,
        }
    }

    /// Has the simulation carry what is for it, now.
    pub fn send(&mut self, simulation: &mut Simulation) {
        for (from, to, frame) in self.outgoing.drain(..) {
            simulation.send(from, to, frame.into());
        }
    }
}

/// The link of `simulation`, whose stations have devices if `has_device` says so.
pub(crate) fn link(
    simulation: &Simulation,
    is_one: bool,
    has_device: impl Fn(usize) -> bool,
) -> Link {
    let layout = simulation.layout();
    let channels = match layout.are_several() {
        true => (0..layout.count() as u32).map(|one| layout.channel(NodeId(one))).collect(),
        false => Vec::new(),
    };
    Link { has_device: (0..layout.count()).map(has_device).collect(), channels, is_one }
}

/// The station of `node` that `frame` has come by: on the channel of the one that sent it.
pub(crate) fn arrived_at(simulation: &Simulation, node: NodeId, frame: &[u8]) -> NodeId {
    let layout = simulation.layout();
    if !layout.are_several() {
        return node;
    }
    let peer = sender_of(frame).and_then(|sender| layout.peer(NodeId(sender), node));
    peer.unwrap_or(node)
}

/// Has `simulation`, whose nodes all have devices, carry `frames` (node and frame) one after the
/// other, in its own time. Answers on the spot are sent on, as a program that sends back what it
/// gets would. Returns what became of them: an emulation without devices.
///
/// # Panics
/// If a frame is from a device that is not there.
pub fn carry(
    simulation: &mut Simulation,
    is_one_link: bool,
    frames: &[(u32, Vec<u8>)],
) -> FrameCounts {
    let stations = simulation.layout().count();
    let mut post = Post::new(link(simulation, is_one_link, |_| true));
    let mut arrived = Vec::new();
    for (node, frame) in frames {
        assert!((*node as usize) < stations, "device {node} of {stations}");
        post.take(*node, frame);
        while let Some((node, answer)) = post.answers.pop() {
            post.take(node, &answer);
        }
        post.send(simulation);
        simulation.run_until(simulation.now() + BETWEEN);
    }
    simulation.run_until(simulation.end());
    simulation.take_arrived(&mut arrived);
    post.frames.delivered = arrived.len() as u64;
    post.frames
}

/// So far apart programs send: less than a frame takes, so that queues fill.
const BETWEEN: multihop::api::kernel::Duration = multihop::api::kernel::Duration::from_micros(200);
