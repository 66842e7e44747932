//! Policies of AODV written in Python: a class with the hooks of [`Policy`].

use std::collections::HashMap;
use std::mem::take;
use std::sync::{LazyLock, Mutex, PoisonError};

use multihop::kernel::Duration;
use multihop::profile::Profile;
use multihop::routing::aodv::policy::{Copy, Greeting};
use multihop::routing::aodv::table::{self, Offer};
use multihop::routing::aodv::{HopCount, OutsidePolicy, Policy};
use multihop::routing::{Context, Timer};
use multihop::wire::aodv::{Message, Reply, Request};
use multihop::wire::{Extension, IP_HEADER_BYTES, NodeId, Octets, Packet};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyBytes;

use super::routes::{DataPacket, RequestCopy, Route, RouteOffer, RouteReply, RouteRequest};
use super::{FILE, Kind, RoutingContext, class, hooks_of, raise};

type Found = HashMap<String, (Py<PyAny>, OutsidePolicy)>;

/// The classes found so far, by name: the engine keeps each as long as the process lives.
static FOUND: LazyLock<Mutex<Found>> = LazyLock::new(Mutex::default);

/// The policy's own timers.
const TIMER: &str = "prototype";

/// Finds the policy that a scenario calls `FILE.py:CLASS`.
pub(crate) fn find(name: &str) -> Option<Result<OutsidePolicy, String>> {
    name.contains(FILE).then(|| {
        Python::attach(|py| {
            class(py, name, Kind::AodvPolicy)
                .map(|class| outside(py, name, class))
                .map_err(|error| error.value(py).to_string())
        })
    })
}

fn outside(py: Python<'_>, name: &str, class: Py<PyAny>) -> OutsidePolicy {
    let mut found = FOUND.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
    if let Some((known, outside)) = found.get(name)
        && known.is(&class)
    {
        return *outside;
    }
    let of = (name.to_owned(), class.clone_ref(py));
    let make = move |node, seed| -> Box<dyn Policy> { Box::new(Chosen::new(&of, node, seed)) };
    let outside = OutsidePolicy::new(name, make);
    found.insert(name.to_owned(), (class, outside));
    outside
}

/// Fields of a policy's own, in its messages and HELLOs.
#[derive(Debug, PartialEq)]
struct Fields(Vec<u8>);

impl Octets for Fields {
    const KIND: u8 = 133;

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }
}

macro_rules! hooks {
    ($($name:ident),*) => {
        /// The hooks that the class has: the others cost nothing.
        #[derive(Clone, Copy, Debug)]
        struct Has { $($name: bool),* }

        impl Has {
            fn of(hooks: &[String]) -> Has {
                Has { $($name: hooks.iter().any(|hook| hook == stringify!($name))),* }
            }
        }
    };
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
    on_greeting
);

/// The policy of a node.
#[derive(Debug)]
struct Chosen {
    name: String,
    object: Py<PyAny>,
    /// What the hooks get; filled before each.
    view: Py<RoutingContext>,
    has: Has,
    added_bytes: u32,
    sees_deliveries: bool,
}

impl Chosen {
    fn new((name, class): &(String, Py<PyAny>), node: NodeId, seed: u64) -> Chosen {
        Python::attach(|py| {
            Chosen::try_new(py, name, class, node, seed).unwrap_or_else(|error| {
                raise(py, name, Kind::AodvPolicy, error);
            })
        })
    }

    fn try_new(
        py: Python<'_>,
        name: &str,
        class: &Py<PyAny>,
        node: NodeId,
        seed: u64,
    ) -> PyResult<Chosen> {
        let random =
            py.import("random")?.call_method1("Random", (format!("{seed}-{}", node.0),))?;
        let object = class.call0(py)?;
        object.setattr(py, "random", random)?;
        let added_bytes = object.getattr(py, "added_bytes")?.extract::<u8>(py)?.into();
        let sees_deliveries = object.getattr(py, "sees_deliveries")?.extract(py)?;
        let has = Has::of(&hooks_of(py, class)?);
        let view = Py::new(py, RoutingContext::default())?;
        Ok(Chosen { name: name.to_owned(), object, view, has, added_bytes, sees_deliveries })
    }

    /// What `work` with the node and what it is then asked for come to.
    fn within<T>(
        &self,
        cx: &mut Context,
        work: impl FnOnce(Python<'_>, &Py<RoutingContext>) -> PyResult<T>,
    ) -> T {
        Python::attach(|py| {
            self.view.borrow_mut(py).show(cx);
            let answer = work(py, &self.view);
            let mut view = self.view.borrow_mut(py);
            for (after_s, number) in take(&mut view.timers) {
                let timer = Timer { number, ..Timer::of(TIMER) };
                cx.set_timer(timer, cx.now + Duration::from_secs_f64(after_s));
            }
            for message in take(&mut view.messages) {
                let size_bytes = IP_HEADER_BYTES + message.len() as u32;
                cx.broadcast(Extension::new(Fields(message)), size_bytes);
            }
            answer.unwrap_or_else(|error| raise(py, &self.name, Kind::AodvPolicy, error))
        })
    }

    fn call<'py>(
        &self,
        py: Python<'py>,
        hook: &str,
        with: impl PyCallArgs<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.object.bind(py).call_method1(hook, with)
    }

    /// The answer of a hook that says yes or no.
    fn asks<'py, A>(&self, hook: &str, with: impl FnOnce(Python<'_>) -> PyResult<A>) -> bool
    where
        A: for<'any> PyCallArgs<'any>,
    {
        Python::attach(|py| {
            let answer = with(py).and_then(|with| self.call(py, hook, with)).and_then(|answer| {
                answer.extract::<bool>().map_err(|_| wrong(hook, "True or False", &answer))
            });
            answer.unwrap_or_else(|error| raise(py, &self.name, Kind::AodvPolicy, error))
        })
    }

    /// A hook that may change the metric of a request.
    fn on_request(
        &self,
        cx: &mut Context,
        hook: &str,
        request: &mut Request,
        from: Option<NodeId>,
    ) {
        *request = self.within(cx, |py, view| {
            let given = Py::new(py, RouteRequest(*request))?;
            match from {
                Some(from) => self.call(py, hook, (view, &given, from.0))?,
                None => self.call(py, hook, (view, &given))?,
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
        *reply = self.within(cx, |py, view| {
            let given = Py::new(py, RouteReply(*reply))?;
            match from {
                Some(from) => self.call(py, hook, (view, &given, from.0))?,
                None => self.call(py, hook, (view, &given))?,
            };
            Ok(given.borrow(py).0)
        });
    }
}

/// A hook returned `answer`.
fn wrong(hook: &str, allowed: &str, answer: &Bound<'_, PyAny>) -> PyErr {
    let got = answer.repr().map_or_else(|_| "something else".to_owned(), |text| text.to_string());
    PyTypeError::new_err(format!("{hook}: must return {allowed} (got {got})"))
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
            self.within(cx, |py, view| self.call(py, "on_start", (view,)).map(drop));
        }
    }

    fn on_message(&mut self, cx: &mut Context, from: NodeId, message: &Extension) {
        if self.has.on_message
            && let Some(Fields(octets)) = message.get()
        {
            self.within(cx, |py, view| {
                let with = (view, from.0, PyBytes::new(py, octets));
                self.call(py, "on_message", with).map(drop)
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
            true => self.asks("counts", |py| Ok((Py::new(py, RouteRequest(*request))?, seen))),
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
        self.within(cx, |py, view| {
            let answer = self.call(py, "collect", (view, RequestCopy::of(py, &copy)?))?;
            taken(py, "collect", &answer)
        })
    }

    fn on_timer(&mut self, cx: &mut Context, timer: Timer) -> Option<Copy> {
        if !self.has.on_timer {
            return None;
        }
        self.within(cx, |py, view| {
            let answer = self.call(py, "on_timer", (view, timer.number))?;
            taken(py, "on_timer", &answer)
        })
    }

    fn may_answer(&self, route: &table::Route, request: &Request, profile: Profile) -> bool {
        let usual = HopCount.may_answer(route, request, profile);
        match self.has.may_answer {
            true => self.asks("may_answer", |py| {
                Ok((Route::from(route), Py::new(py, RouteRequest(*request))?, usual))
            }),
            false => usual,
        }
    }

    fn prefers(&self, route: &table::Route, offer: &Offer, profile: Profile) -> bool {
        let usual = HopCount.prefers(route, offer, profile);
        match self.has.prefers {
            true => self
                .asks("prefers", |_| Ok((Route::from(route), RouteOffer::of(offer, route), usual))),
            false => usual,
        }
    }

    fn repairs(&self, route: &table::Route, packet: &Packet) -> bool {
        let usual = HopCount.repairs(route, packet);
        match self.has.repairs {
            true => {
                self.asks("repairs", |_| Ok((Route::from(route), DataPacket::from(packet), usual)))
            }
            false => usual,
        }
    }

    fn may_send(&self, cx: &Context, destination: NodeId) -> bool {
        match self.has.may_send {
            true => self.asks("may_send", |py| {
                self.view.borrow_mut(py).show(cx);
                Ok((self.view.clone_ref(py), destination.0))
            }),
            false => true,
        }
    }

    fn on_undelivered(&mut self, cx: &Context, packet: &Packet, route: &mut table::Route) {
        if self.has.on_undelivered {
            Python::attach(|py| {
                self.view.borrow_mut(py).show(cx);
                let with = (&self.view, DataPacket::from(packet), Route::from(&*route));
                if let Err(error) = self.call(py, "on_undelivered", with) {
                    raise(py, &self.name, Kind::AodvPolicy, error);
                }
            });
        }
    }

    fn on_reply(&mut self, cx: &mut Context, destination: NodeId) {
        if self.has.on_reply {
            self.within(cx, |py, view| self.call(py, "on_reply", (view, destination.0)).map(drop));
        }
    }

    fn on_route_lost(&mut self, cx: &mut Context, route: &table::Route) {
        if self.has.on_route_lost {
            self.within(cx, |py, view| {
                self.call(py, "on_route_lost", (view, Route::from(route))).map(drop)
            });
        }
    }

    fn sees_deliveries(&self) -> bool {
        self.sees_deliveries
    }

    fn on_data(&mut self, cx: &mut Context, packet: &Packet) {
        if self.has.on_data {
            self.within(cx, |py, view| {
                self.call(py, "on_data", (view, DataPacket::from(packet))).map(drop)
            });
        }
    }

    fn greet(&mut self, cx: &mut Context) -> Option<Greeting> {
        if !self.has.greet {
            return Some(Greeting::default());
        }
        let fields = self.within(cx, |py, view| {
            let answer = self.call(py, "greet", (view,))?;
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
        self.within(cx, |py, view| {
            let with = (view, from.0, PyBytes::new(py, octets));
            self.call(py, "on_greeting", with).map(drop)
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
}
