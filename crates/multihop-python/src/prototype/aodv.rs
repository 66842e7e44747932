//! Policies of AODV written in Python: a class with the hooks of [`Policy`].

use multihop::api::measure::Counts;
use multihop::api::profile::Profile;
use multihop::api::routing::aodv::policy::{Copy, Greeting};
use multihop::api::routing::aodv::table::{self, Offer};
use multihop::api::routing::aodv::{HopCount, OutsidePolicy, Policy};
use multihop::api::routing::{Context, Timer};
use multihop::api::wire::aodv::{Message, Reply, Request};
use multihop::api::wire::{Extension, NodeId, Packet};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::Class;
use super::node::{Fields, Node, hooks, wrong};
use super::routes::{DataPacket, RequestCopy, Route, RouteOffer, RouteReply, RouteRequest};

/// The policy that class `of` is.
pub(super) fn policy(of: Class) -> OutsidePolicy {
    let name = of.0.clone();
    OutsidePolicy::new(&name, move |node, seed| Box::new(Chosen::new(&of, node, seed)))
}

hooks!(
    on_start,
    on_message,
    originate,
    gather,
    originate_reply,
    gather_reply,
    counts,
    collect,
    on_timer,
    may_answer,
    prefers,
    repairs,
    may_send,
    on_undelivered,
    on_reply,
    on_route_lost,
    on_data,
    greet,
    on_greeting,
    counters
);

/// The policy of a node.
#[derive(Debug)]
struct Chosen {
    node: Node,
    has: Has,
    added_bytes: u32,
    sees_deliveries: bool,
}

impl Chosen {
    fn new(of: &Class, node: NodeId, seed: u64) -> Chosen {
        let (node, (has, added_bytes, sees_deliveries)) =
            Node::new(of, node, seed, |py, object, hooks| {
                let added_bytes = object.getattr(py, "added_bytes")?.extract::<u8>(py)?;
                let sees_deliveries = object.getattr(py, "sees_deliveries")?.extract(py)?;
                Ok((Has::of(hooks), added_bytes.into(), sees_deliveries))
            });
        Chosen { node, has, added_bytes, sees_deliveries }
    }

    /// A hook that may change the metric of a request.
    fn on_request(
        &self,
        cx: &mut Context,
        hook: &str,
        request: &mut Request,
        from: Option<NodeId>,
    ) {
        *request = self.node.within(cx, |py, view| {
            let given = Py::new(py, RouteRequest(*request))?;
            match from {
                Some(from) => self.node.call(py, hook, (view, &given, from.0))?,
                None => self.node.call(py, hook, (view, &given))?,
            };
            Ok(given.borrow(py).0)
        });
    }

    /// The same for a reply.
    fn on_reply_gathered(
        &self,
        cx: &mut Context,
        hook: &str,
        reply: &mut Reply,
        from: Option<NodeId>,
    ) {
        *reply = self.node.within(cx, |py, view| {
            let given = Py::new(py, RouteReply(*reply))?;
            match from {
                Some(from) => self.node.call(py, hook, (view, &given, from.0))?,
                None => self.node.call(py, hook, (view, &given))?,
            };
            Ok(given.borrow(py).0)
        });
    }
}

/// The copy that a hook returned.
fn taken(py: Python<'_>, hook: &str, answer: &Bound<'_, PyAny>) -> PyResult<Option<Copy>> {
    if answer.is_none() {
        return Ok(None);
    }
    match answer.extract::<PyRef<'_, RequestCopy>>() {
        Ok(copy) => Ok(Some(copy.taken(py))),
        Err(_) => Err(wrong(hook, "a RequestCopy or None", answer)),
    }
}

impl Policy for Chosen {
    fn on_start(&mut self, cx: &mut Context) {
        if self.has.on_start {
            self.node.within(cx, |py, view| self.node.call(py, "on_start", (view,)).map(drop));
        }
    }

    fn on_message(&mut self, cx: &mut Context, from: NodeId, message: &Extension) {
        if self.has.on_message
            && let Some(Fields(octets)) = message.get()
        {
            self.node.within(cx, |py, view| {
                let with = (view, from.0, PyBytes::new(py, octets));
                self.node.call(py, "on_message", with).map(drop)
            });
        }
    }

    fn originate(&mut self, cx: &mut Context, request: &mut Request) {
        if self.has.originate {
            self.on_request(cx, "originate", request, None);
        }
    }

    fn gather(&mut self, cx: &mut Context, request: &mut Request, from: NodeId) {
        if self.has.gather {
            self.on_request(cx, "gather", request, Some(from));
        }
    }

    fn originate_reply(&mut self, cx: &mut Context, reply: &mut Reply) {
        if self.has.originate_reply {
            self.on_reply_gathered(cx, "originate_reply", reply, None);
        }
    }

    fn gather_reply(&mut self, cx: &mut Context, reply: &mut Reply, from: NodeId) {
        if self.has.gather_reply {
            self.on_reply_gathered(cx, "gather_reply", reply, Some(from));
        }
    }

    fn counts(&mut self, request: &Request, seen: bool) -> bool {
        match self.has.counts {
            true => self.node.look(None, "counts", |py, _| {
                self.node.says(py, "counts", (RouteRequest(*request), seen))
            }),
            false => !seen,
        }
    }

    fn ignores_copies(&self) -> bool {
        !self.has.counts
    }

    fn collect(&mut self, cx: &mut Context, copy: Copy) -> Option<Copy> {
        if !self.has.collect {
            return Some(copy);
        }
        self.node.within(cx, |py, view| {
            let answer = self.node.call(py, "collect", (view, RequestCopy::of(py, &copy)?))?;
            taken(py, "collect", &answer)
        })
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) -> Option<Copy> {
        if !self.has.on_timer {
            return None;
        }
        self.node.within(cx, |py, view| {
            let answer = self.node.call(py, "on_timer", (view, timer.number))?;
            taken(py, "on_timer", &answer)
        })
    }

    fn may_answer(&self, route: &table::Route, request: &Request, profile: Profile) -> bool {
        let usual = HopCount.may_answer(route, request, profile);
        match self.has.may_answer {
            true => self.node.look(None, "may_answer", |py, _| {
                let with = (Route::from(route), RouteRequest(*request), usual);
                self.node.says(py, "may_answer", with)
            }),
            false => usual,
        }
    }

    /// A policy that prefers routes its own way has a metric of its own.
    fn meets_neighbours(&self) -> bool {
        !self.has.prefers
    }

    fn prefers(&self, route: &table::Route, offer: &Offer, profile: Profile) -> bool {
        let usual = HopCount.prefers(route, offer, profile);
        match self.has.prefers {
            true => self.node.look(None, "prefers", |py, _| {
                let with = (Route::from(route), RouteOffer::of(offer, route), usual);
                self.node.says(py, "prefers", with)
            }),
            false => usual,
        }
    }

    fn repairs(&self, route: &table::Route, packet: &Packet) -> bool {
        let usual = HopCount.repairs(route, packet);
        match self.has.repairs {
            true => self.node.look(None, "repairs", |py, _| {
                let with = (Route::from(route), DataPacket::from(packet), usual);
                self.node.says(py, "repairs", with)
            }),
            false => usual,
        }
    }

    fn may_send(&self, cx: &Context, destination: NodeId) -> bool {
        match self.has.may_send {
            true => self.node.look(Some(cx), "may_send", |py, view| {
                self.node.says(py, "may_send", (view, destination.0))
            }),
            false => true,
        }
    }

    fn on_undelivered(&mut self, cx: &Context, packet: &Packet, route: &mut table::Route) {
        if self.has.on_undelivered {
            self.node.look(Some(cx), "on_undelivered", |py, view| {
                let with = (view, DataPacket::from(packet), Route::from(&*route));
                self.node.call(py, "on_undelivered", with).map(drop)
            });
        }
    }

    fn on_reply(&mut self, cx: &mut Context, destination: NodeId) {
        if self.has.on_reply {
            self.node.within(cx, |py, view| {
                self.node.call(py, "on_reply", (view, destination.0)).map(drop)
            });
        }
    }

    fn on_route_lost(&mut self, cx: &mut Context, route: &table::Route) {
        if self.has.on_route_lost {
            self.node.within(cx, |py, view| {
                self.node.call(py, "on_route_lost", (view, Route::from(route))).map(drop)
            });
        }
    }

    fn sees_deliveries(&self) -> bool {
        self.sees_deliveries
    }

    fn on_data(&mut self, cx: &mut Context, packet: &Packet) {
        if self.has.on_data {
            self.node.within(cx, |py, view| {
                self.node.call(py, "on_data", (view, DataPacket::from(packet))).map(drop)
            });
        }
    }

    fn greet(&mut self, cx: &mut Context) -> Option<Greeting> {
        if !self.has.greet {
            return Some(Greeting::default());
        }
        let fields = self.node.within(cx, |py, view| {
            let answer = self.node.call(py, "greet", (view,))?;
            let fields = answer.extract::<Option<Vec<u8>>>();
            fields.map_err(|_| wrong("greet", "bytes, or None for no HELLO", &answer))
        });
        let extension =
            |fields: Vec<u8>| (!fields.is_empty()).then(|| Extension::new(Fields(fields)));
        fields.map(|fields| Greeting { extension: extension(fields) })
    }

    fn on_greeting(&mut self, cx: &mut Context, from: NodeId, greeting: Greeting) {
        if !self.has.on_greeting {
            return;
        }
        let fields = greeting.extension.as_ref().and_then(Extension::get::<Fields>);
        let octets = fields.map_or(&[][..], |fields| &fields.0);
        self.node.within(cx, |py, view| {
            let with = (view, from.0, PyBytes::new(py, octets));
            self.node.call(py, "on_greeting", with).map(drop)
        });
    }

    fn added_bytes(&self, message: &Message) -> u32 {
        match message {
            Message::Request(_) | Message::Reply(_) => self.added_bytes,
            Message::Hello { extension: Some(extension), .. } => {
                extension.get().map_or(0, |Fields(octets)| octets.len() as u32)
            }
            _ => 0,
        }
    }

    fn report(&self, counts: &mut Counts) {
        if self.has.counters {
            self.node.report(counts);
        }
    }
}
