//! Between the endpoints and the stack: what happens to flows is told to the endpoints, and what
//! follows is carried out.

use super::Simulation;
use super::endpoints::{Effect, Endpoints, Shared};
use super::event::Event;
use crate::wire::Packet;

impl Simulation {
    /// Tells the endpoints something, and carries out what follows: first to last, each with
    /// everything that follows from it before the next.
    pub(super) fn at_ends(&mut self, tell: impl FnOnce(&mut Endpoints, &mut Shared<'_>)) {
        let mut effects = self.endpoints.take_spare();
        let Simulation { clock, monitor, endpoints, .. } = self;
        tell(endpoints, &mut Shared { clock, monitor, effects: &mut effects });
        for effect in effects.drain(..) {
            self.carry_out_at_ends(effect);
        }
        self.endpoints.give_spare(effects);
    }

    fn carry_out_at_ends(&mut self, effect: Effect) {
        match effect {
            Effect::Send(id, packet) => self.send_when_room(id, packet),
            Effect::Arrive(packet) => self.on_arrival(&packet),
            Effect::Demand(node) => self.on_demand(node),
            Effect::Started(id) => self.at_ends(|ends, shared| ends.start_application(shared, id)),
            Effect::Delivered(id, way) => {
                self.at_ends(|ends, shared| ends.on_delivered(shared, id, way));
            }
            Effect::Wait(id, at) => self.clock.schedule(at, Event::Application(id)),
        }
    }

    /// A packet for transport has arrived at its destination.
    pub(super) fn on_arrival(&mut self, packet: &Packet) {
        self.at_ends(|ends, shared| ends.on_arrival(shared, packet));
    }
}
