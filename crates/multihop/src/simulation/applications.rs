//! The applications: what they want done, and when they are called.

use super::Simulation;
use super::event::Event;
use super::flows::{Ends, Flow};
use crate::capture::Detail;
use crate::kernel::{Duration, Instant};
use crate::measure::VoiceReport;
use crate::scenario::FlowLoad;
use crate::traffic::{Action, Application, VOICE_FRAME, Way};
use crate::wire::udp::Datagram;
use crate::wire::{Body, FlowId};

impl Simulation {
    /// A timer of the application of flow `id` has expired.
    pub(super) fn on_application_timer(&mut self, id: FlowId) {
        self.with_application(id, |application, now, out| application.on_timer(now, out));
    }

    /// Calls the application of flow `id`, if it has one and has not stopped, and does what it
    /// wants.
    pub(super) fn with_application(
        &mut self,
        id: FlowId,
        call: impl FnOnce(&mut dyn Application, Instant, &mut Vec<Action>),
    ) {
        let now = self.clock.now();
        let flow = &mut self.flows[id.index()];
        if now >= flow.stop || flow.at_stop.is_some() {
            return;
        }
        let Some(application) = &mut flow.application else { return };
        let mut actions = std::mem::take(&mut self.pending.application);
        call(&mut **application, now, &mut actions);
        for action in actions.drain(..) {
            self.do_for_application(id, action);
        }
        self.pending.application = actions;
    }

    fn do_for_application(&mut self, id: FlowId, action: Action) {
        let now = self.clock.now();
        let flow = &mut self.flows[id.index()];
        match action {
            Action::Wait(until) => {
                self.clock.schedule(until, Event::Application(id));
            }
            Action::Send { way, bytes } => match flow.ends {
                Ends::Tcp { .. } => self.supply(id, way, bytes),
                Ends::Connected { .. } => self.supply_connection(id, way, bytes),
                Ends::Udp { .. } => self.send_datagram(id, bytes as u32),
            },
            Action::Begin { bytes } => {
                if !matches!(flow.ends, Ends::Udp { .. }) {
                    flow.transfers.begin(now, bytes);
                }
            }
            Action::Complete => flow.transfers.complete(now),
            Action::Done => {
                self.end_flow(id);
                if let Some(back) = self.other_way(id) {
                    self.end_flow(back);
                }
            }
        }
    }

    /// The flow that carries the other direction of the connection of flow `id`.
    pub(super) fn other_direction(&self, id: FlowId) -> Option<FlowId> {
        self.flows[id.index()].answers.or_else(|| self.other_way(id))
    }

    /// The flow that carries what goes back over the connection of flow `id`.
    pub(super) fn other_way(&self, id: FlowId) -> Option<FlowId> {
        let next = self.flows.get(id.index() + 1)?;
        (next.answers == Some(id)).then_some(next.id)
    }

    fn supply(&mut self, id: FlowId, way: Way, bytes: u64) {
        let carrier = match way {
            Way::Forth => Some(id),
            Way::Back => self.other_way(id),
        };
        let Some(carrier) = carrier else { return };
        let mut last = None;
        self.with_sender(carrier, Detail::Supply, |sender, now, out| {
            last = Some(sender.on_supply(now, bytes, out));
        });
        let flow = &mut self.flows[carrier.index()];
        flow.messages.extend(last);
        let source = flow.source;
        self.on_demand(source);
    }

    fn send_datagram(&mut self, id: FlowId, payload_bytes: u32) {
        let now = self.clock.now();
        let flow = &mut self.flows[id.index()];
        let Ends::Udp { sent, .. } = &mut flow.ends else { return };
        let datagram = Datagram::zeros(id, *sent, payload_bytes);
        *sent += 1;
        let packet = flow.packet(now, true, payload_bytes, Body::Udp(datagram));
        self.send_when_room(id, packet);
    }

    /// Tells the application of the messages of flow `id` that have arrived whole.
    #[inline]
    pub(super) fn deliver_messages(&mut self, id: FlowId) {
        while self.flows[id.index()].take_message() {
            let (owner, way) = match self.flows[id.index()].answers {
                None => (id, Way::Forth),
                Some(opener) => (opener, Way::Back),
            };
            self.with_application(owner, |application, now, out| {
                application.on_delivered(now, way, out);
            });
        }
    }

    /// The flow has nothing more to do, earlier than its stop.
    fn end_flow(&mut self, id: FlowId) {
        let now = self.clock.now();
        let flow = &mut self.flows[id.index()];
        flow.stop = now;
        flow.steadiness.end_at(now);
        self.on_flow_stop(id);
    }
}

impl Flow {
    /// Takes the earliest message off the list of those under way, if it has arrived whole. Returns
    /// whether it has.
    fn take_message(&mut self) -> bool {
        let Ends::Tcp { receiver, .. } = &self.ends else { return false };
        let arrived = receiver.delivered_segments();
        let is_whole = self.messages.front().is_some_and(|&last| u64::from(last) <= arrived);
        is_whole && self.messages.pop_front().is_some()
    }

    /// How the call was up to `now`, if it is one.
    pub(super) fn voice_report(&self, now: Instant) -> Option<VoiceReport> {
        let (FlowLoad::Voice(voice), Some(listener)) = (&self.load, &self.listener) else {
            return None;
        };
        // Packets are sent from the start on, before the stop; those sent too near the end are not
        // due.
        let due = now.saturating_since(self.start + Duration::from_secs_f64(voice.playout_s));
        let count = |time: Duration| time.as_nanos().div_ceil(VOICE_FRAME.as_nanos());
        let sent = count(self.stop.min(now).saturating_since(self.start));
        listener.report(sent.min(count(due)))
    }
}
