//! What programs have sent, sorted by where it goes.

use multihop::api::simulation::Simulation;
use multihop::api::wire::NodeId;

use crate::frame::{Fate, Link};
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

/// Has `simulation`, whose nodes all have devices, carry `frames` (node and frame) one after the
/// other, in its own time. Answers on the spot are sent on, as a program that sends back what it
/// gets would. Returns what became of them: an emulation without devices.
///
/// # Panics
/// If a frame is from a node that is not there.
pub fn carry(
    simulation: &mut Simulation,
    is_one_link: bool,
    frames: &[(u32, Vec<u8>)],
) -> FrameCounts {
    let nodes = simulation.node_count();
    let mut post = Post::new(Link { has_device: vec![true; nodes], is_one: is_one_link });
    let mut arrived = Vec::new();
    for (node, frame) in frames {
        assert!((*node as usize) < nodes, "node {node} of {nodes}");
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
