//! temporary
#![allow(missing_docs)]
use crate::kernel::{Instant,Rng}; use crate::profile::Profile; use crate::wire::{FlowId, tcp::SegmentKind};
#[derive(Clone, Debug, Default, PartialEq)] pub struct SenderActions { pub send: Vec<SegmentKind>, pub timer: Option<TimerChange> }
#[derive(Clone, Copy, Debug, PartialEq, Eq)] pub enum TimerChange { Set(Instant), Cancel }
#[derive(Debug)] pub struct Sender; #[derive(Debug,Default)] pub struct Receiver;
#[derive(Default)] pub struct C { pub sent_segments: u64, pub retransmits: u64, pub timeouts: u64 }
impl Sender { pub fn new(_: &(), _: Profile, _: FlowId, _: &mut Rng) -> Self { Sender } pub fn on_start(&mut self,_:Instant,_:&mut SenderActions){} pub fn on_ack(&mut self,_:Instant,_:u32,_:&mut SenderActions){} pub fn on_timeout(&mut self,_:Instant,_:&mut SenderActions){} pub fn on_route_error(&mut self,_:Instant,_:&mut SenderActions){} pub fn on_stop(&mut self,_:Instant){} pub fn cwnd(&self)->f64{0.0} pub fn counters(&self)->C{C::default()} pub fn highest_ack(&self)->Option<u32>{None} }
impl Receiver { pub fn on_data(&mut self,_:u32,_:u32)->u32{0} pub fn delivered_bytes(&self)->u64{0} pub fn delivered_segments(&self)->u64{0} }
