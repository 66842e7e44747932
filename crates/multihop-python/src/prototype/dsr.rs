//! Policies of DSR written in Python: a class with the hooks of [`Policy`].

use std::sync::Arc;

use multihop::api::kernel::Instant;
use multihop::api::measure::Counts;
use multihop::api::routing::dsr::cache::{Found, PathCache};
use multihop::api::routing::dsr::{Order, OutsidePolicy, Policy};
use multihop::api::routing::{Context, Timer};
use multihop::api::wire::dsr::{Direction, Header, Path, Request};
use multihop::api::wire::{Extension, NodeId, Packet};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::Class;
use super::node::{Fields, Node, hooks, wrong};
use super::paths::{Asked, PathRequest, numbers};
use super::routes::DataPacket;

/// The policy that class `of` is.
pub(super) fn policy(of: Class) -> OutsidePolicy {
    let name = of.0.clone();
    OutsidePolicy::new(&name, move |node, seed| Box::new(Chosen::new(&of, node, seed)))
}

hooks!(
    on_start,
    on_message,
    on_timer,
    passes_on,
    gather,
    answers,
    gathered,
    pick,
    on_reply,
    piggyback,
    on_delivered,
    on_broken_link,
    tells_transport,
    counters
);

/// The policy of a node.
#[derive(Debug)]
struct Chosen {
    node: Node,
    has: Has,
}

impl Chosen {
    fn new(of: &Class, node: NodeId, seed: u64) -> Chosen {
        let (node, has) = Node::new(of, node, seed, |_, _, hooks| Ok(Has::of(hooks)));
        Chosen { node, has }
    }
}

fn shown(request: &Request) -> PathRequest {
    PathRequest(Arc::new(request.clone()))
}

/// The orders that `hook` returned: a list of them, one, or none.
fn orders(hook: &str, answer: &Bound<'_, PyAny>) -> PyResult<Vec<Order>> {
    if answer.is_none() {
        return Ok(Vec::new());
    }
    let one = answer.extract::<Asked>().map(|asked| vec![asked]);
    let asked = one.or_else(|_| answer.extract::<Vec<Asked>>());
    let asked =
        asked.map_err(|_| wrong(hook, "Answer, Discover, a list of these, or None", answer));
    Ok(asked?.into_iter().map(Order::from).collect())
}

/// The number that `hook` returned, if any.
fn number(hook: &str, answer: &Bound<'_, PyAny>) -> PyResult<Option<f32>> {
    answer.extract::<Option<f32>>().map_err(|_| wrong(hook, "a number or None", answer))
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

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) -> Vec<Order> {
        if !self.has.on_timer {
            return Vec::new();
        }
        self.node.within(cx, |py, view| {
            let answer = self.node.call(py, "on_timer", (view, timer.number))?;
            orders("on_timer", &answer)
        })
    }

    fn ignores_copies(&self) -> bool {
        !self.has.passes_on
    }

    fn passes_on(&mut self, cx: &Context, request: &Request, is_first: bool) -> bool {
        match self.has.passes_on {
            true => self.node.look(Some(cx), "passes_on", |py, view| {
                self.node.says(py, "passes_on", (view, shown(request), is_first))
            }),
            false => is_first,
        }
    }

    fn gather(&mut self, cx: &Context, request: &mut Request) {
        if self.has.gather {
            let gathered = self.node.look(Some(cx), "gather", |py, view| {
                let answer = self.node.call(py, "gather", (view, shown(request)))?;
                number("gather", &answer)
            });
            request.gathered.extend(gathered);
        }
    }

    fn answers(
        &mut self,
        cx: &mut Context,
        request: &Request,
        is_first: bool,
        every_copy: bool,
    ) -> bool {
        let usual = is_first || every_copy;
        match self.has.answers {
            true => self.node.within(cx, |py, view| {
                self.node.says(py, "answers", (view, shown(request), is_first, usual))
            }),
            false => usual,
        }
    }

    fn gathered(&mut self, cx: &Context, request: &Request) -> Vec<f32> {
        if !self.has.gathered {
            return Vec::new();
        }
        self.node.look(Some(cx), "gathered", |py, view| {
            let answer = self.node.call(py, "gathered", (view, shown(request)))?;
            answer.extract().map_err(|_| wrong("gathered", "a list of numbers", &answer))
        })
    }

    fn pick(
        &mut self,
        cx: &Context,
        routes: &mut PathCache,
        packet: &Packet,
        keep: bool,
    ) -> Option<Found> {
        let to = packet.destination;
        let usual = routes.find(to, keep);
        if !self.has.pick {
            return usual;
        }
        let known: Vec<&[NodeId]> = routes.paths_to(to).collect();
        if known.is_empty() {
            return None;
        }
        let usual = usual.and_then(|usual| known.iter().position(|path| *path == usual.nodes()));
        let picked = self.node.look(Some(cx), "pick", |py, view| {
            let paths = known.iter().map(|path| numbers(py, path)).collect::<PyResult<Vec<_>>>()?;
            let with = (view, DataPacket::from(packet), PyTuple::new(py, paths)?, usual);
            let answer = self.node.call(py, "pick", with)?;
            let allowed = format!("a place in paths, 0 to {}, or None", known.len() - 1);
            match answer.extract::<Option<usize>>() {
                Ok(place) if place.is_none_or(|place| place < known.len()) => Ok(place),
                _ => Err(wrong("pick", &allowed, &answer)),
            }
        });
        picked.map(|place| Found::from(Path::from(known[place])))
    }

    fn on_reply(&mut self, now: Instant, path: &Path, _: Option<Direction>, gathered: &[f32]) {
        if self.has.on_reply {
            self.node.look(None, "on_reply", |py, _| {
                let with = (now.as_secs_f64(), numbers(py, path)?, PyTuple::new(py, gathered)?);
                self.node.call(py, "on_reply", with).map(drop)
            });
        }
    }

    fn piggyback(&self, cx: &Context, previous: NodeId) -> Option<f32> {
        if !self.has.piggyback {
            return None;
        }
        self.node.look(Some(cx), "piggyback", |py, view| {
            number("piggyback", &self.node.call(py, "piggyback", (view, previous.0))?)
        })
    }

    fn sees_deliveries(&self) -> bool {
        self.has.on_delivered
    }

    fn on_delivered(
        &mut self,
        cx: &mut Context,
        packet: &Packet,
        header: &Header,
    ) -> Option<Order> {
        if !self.has.on_delivered {
            return None;
        }
        self.node.within(cx, |py, view| {
            let path = header.route.as_ref().map(|route| numbers(py, &route.nodes)).transpose()?;
            let gathered = PyTuple::new(py, &header.gathered)?;
            let with = (view, DataPacket::from(packet), path, gathered);
            let answer = self.node.call(py, "on_delivered", with)?;
            let asked = answer.extract::<Option<Asked>>();
            let asked =
                asked.map_err(|_| wrong("on_delivered", "Answer, Discover or None", &answer));
            Ok(asked?.map(Order::from))
        })
    }

    fn on_broken_link(&mut self, now: Instant, from: NodeId, to: NodeId) -> Vec<Order> {
        if !self.has.on_broken_link {
            return Vec::new();
        }
        self.node.look(None, "on_broken_link", |py, _| {
            let with = (now.as_secs_f64(), from.0, to.0);
            orders("on_broken_link", &self.node.call(py, "on_broken_link", with)?)
        })
    }

    fn tells_transport(&self, destination: NodeId, _: Option<&Packet>) -> bool {
        match self.has.tells_transport {
            true => self.node.look(None, "tells_transport", |py, _| {
                self.node.says(py, "tells_transport", (destination.0,))
            }),
            false => true,
        }
    }

    fn report(&self, counts: &mut Counts) {
        if self.has.counters {
            self.node.report(counts);
        }
    }
}
