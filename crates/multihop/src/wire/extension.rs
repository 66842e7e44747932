//! What routing schemes add to messages, or send as messages of their own, without the other layers
//! knowing what it is.

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::Arc;

use super::put::Put;
use super::{Carrier, Message, NodeId, Packet, Parts};

/// Fields of a scheme's own, shared by the copies of a packet.
#[derive(Clone)]
pub struct Extension(Arc<dyn Fields>);

/// How a scheme's own fields look in packet captures, and what they are to counters and records
/// where they are a message of its own: those have a name, a port and so on.
///
/// ```
/// use multihop::api::wire::{Extension, Octets};
///
/// /// How full a node is.
/// #[derive(Clone, Debug, PartialEq)]
/// struct Fullness(u8);
///
/// impl Octets for Fullness {
///     const KIND: u8 = 222;
///
///     fn write(&self, out: &mut Vec<u8>) {
///         out.push(self.0);
///     }
/// }
///
/// assert_eq!(Extension::new(Fullness(7)).get::<Fullness>(), Some(&Fullness(7)));
/// ```
pub trait Octets {
    /// Tells them from other schemes' fields: the type of an AODV extension (128 or above), or of a
    /// message of its own. docs/use/pcap.md lists those that are taken.
    const KIND: u8;

    /// The name by which messages are counted in results and known in captures, for example
    /// `olsr-tc`; without one they are counted with all routing packets alone.
    const NAME: &'static str = "";

    /// The UDP port of the scheme's messages. What [`Octets::write`] writes is then all that
    /// follows UDP's header; without a port, kind and length stand before it.
    const PORT: Option<u16> = None;

    /// The IPv6 group of messages to all neighbours. With one, the scheme's messages travel over
    /// IPv6 between link-local addresses.
    const GROUP: Option<[u8; 16]> = None;

    /// What carries the message, if it is not a datagram over IP.
    fn carrier(&self) -> Option<Carrier> {
        None
    }

    /// Appends them in network byte order.
    fn write(&self, out: &mut Vec<u8>);

    /// Whether the message, in `packet`, is a request, a reply, an error or a HELLO.
    fn parts(&self, _packet: &Packet) -> Parts {
        Parts::default()
    }

    /// The number that tells the message from others of its originator, if it has one.
    fn number(&self) -> Option<u32> {
        None
    }

    /// Who looks for whom, if the message is about that.
    fn ends(&self) -> Option<(NodeId, NodeId)> {
        None
    }
}

/// What a scheme's own fields have to be.
trait Fields: Any + Debug + Message + Send + Sync {
    fn equals(&self, other: &dyn Any) -> bool;
    fn kind(&self) -> u8;
    fn octets(&self, out: &mut Vec<u8>);
}

impl<T: Octets> Message for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn parts(&self, packet: &Packet) -> Parts {
        Octets::parts(self, packet)
    }

    fn number(&self) -> Option<u32> {
        Octets::number(self)
    }

    fn ends(&self) -> Option<(NodeId, NodeId)> {
        Octets::ends(self)
    }

    fn port(&self) -> Option<u16> {
        T::PORT
    }

    fn group(&self) -> Option<[u8; 16]> {
        T::GROUP
    }

    fn carrier(&self) -> Option<Carrier> {
        Octets::carrier(self)
    }

    fn write(&self, _: &Packet, out: &mut Vec<u8>) {
        let start = out.len();
        let is_marked = T::PORT.is_none() && Octets::carrier(self).is_none();
        if is_marked {
            out.extend([T::KIND, 0, 0, 0]);
        }
        Octets::write(self, out);
        if is_marked {
            out.put16_at(start + 2, (out.len() - start - 4) as u16);
        }
    }
}

impl<T: Any + Debug + PartialEq + Send + Sync + Octets> Fields for T {
    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn kind(&self) -> u8 {
        T::KIND
    }

    fn octets(&self, out: &mut Vec<u8>) {
        Octets::write(self, out);
    }
}

impl Extension {
    /// These fields.
    pub fn new<T: Any + Debug + PartialEq + Send + Sync + Octets>(fields: T) -> Extension {
        Extension(Arc::new(fields))
    }

    /// The fields, if they are of this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        let fields: &dyn Any = &*self.0;
        fields.downcast_ref()
    }

    /// The fields as a message of the scheme's own.
    pub fn message(&self) -> &dyn Message {
        &*self.0
    }

    /// Their [`Octets::KIND`].
    pub fn kind(&self) -> u8 {
        self.0.kind()
    }

    /// Appends them as packet captures have them.
    pub fn write(&self, out: &mut Vec<u8>) {
        self.0.octets(out);
    }
}

impl PartialEq for Extension {
    fn eq(&self, other: &Extension) -> bool {
        let fields: &dyn Any = &*other.0;
        self.0.equals(fields)
    }
}

impl Debug for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Octets for u32 {
        const KIND: u8 = 200;

        fn write(&self, out: &mut Vec<u8>) {
            out.extend(self.to_be_bytes());
        }
    }

    impl Octets for u64 {
        const KIND: u8 = 201;

        fn write(&self, out: &mut Vec<u8>) {
            out.extend(self.to_be_bytes());
        }
    }

    #[test]
    fn fields_are_found_by_their_type_and_compared_by_value() {
        let three = Extension::new(3_u32);
        assert_eq!(three.get::<u32>(), Some(&3));
        assert_eq!(three.get::<u64>(), None);
        assert_eq!(three, Extension::new(3_u32));
        assert_ne!(three, Extension::new(4_u32));
        assert_ne!(three, Extension::new(3_u64));
        let mut octets = Vec::new();
        three.write(&mut octets);
        assert_eq!((three.kind(), octets), (200, vec![0, 0, 0, 3]));
    }
}
