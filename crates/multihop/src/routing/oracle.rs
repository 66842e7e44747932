//! What idealised schemes know without exchanging packets: the true network, and state that their
//! nodes share.
//!
//! A real protocol learns only from messages and does not use this. Everything is computed on
//! demand, so schemes that do not ask pay nothing.

use std::any::Any;
use std::fmt::Debug;

use crate::radio::Hearers;

/// The omniscient view, lent to a protocol for one call.
#[derive(Debug)]
pub struct Oracle<'a> {
    /// The true network: the nodes within receive range (`decoding`) and within sensing range
    /// (`sensing`) of each other.
    pub hearers: &'a mut Hearers,
    /// The state that the nodes of the scheme share.
    pub shared: &'a mut Shared,
}

/// The state that the nodes of a scheme share: knowledge of an idealised scheme, counters, records
/// for the result. The scheme defines its type.
#[derive(Debug, Default)]
pub struct Shared(Option<Box<dyn State>>);

trait State: Any + Debug + Send + Sync {}

impl<T: Any + Debug + Send + Sync> State for T {}

impl Shared {
    /// Shares `state`.
    pub fn new<T: Any + Debug + Send + Sync>(state: T) -> Shared {
        Shared(Some(Box::new(state)))
    }

    /// The state, if there is one of this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        let state: &dyn Any = self.0.as_deref()?;
        state.downcast_ref()
    }

    /// As [`Shared::get`], but mutable.
    pub fn get_mut<T: Any>(&mut self) -> Option<&mut T> {
        let state: &mut dyn Any = self.0.as_deref_mut()?;
        state.downcast_mut()
    }

    /// The state; a new one if there is none.
    ///
    /// # Panics
    /// If the state is of another type: a run has one scheme.
    pub fn get_or_default<T: Any + Debug + Default + Send + Sync>(&mut self) -> &mut T {
        let state: &mut dyn Any = &mut **self.0.get_or_insert_with(|| Box::new(T::default()));
        state.downcast_mut().expect("the nodes of a run share one type of state")
    }
}
