//! What routing schemes add to messages, or send as messages of their own, without the other layers
//! knowing what it is.

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::Arc;

/// Fields of a scheme's own, shared by the copies of a packet.
#[derive(Clone)]
pub struct Extension(Arc<dyn Fields>);

/// How a scheme's own fields look in packet captures.
pub trait Octets {
    /// Tells them from other schemes' fields: the type of an AODV extension (128 or above), or of a message of
    /// its own. docs/pcap.md lists those that are taken.
    const KIND: u8;

    /// Appends them in network byte order.
    fn write(&self, out: &mut Vec<u8>);
}

/// What a scheme's own fields have to be.
trait Fields: Any + Debug + Send + Sync {
    fn equals(&self, other: &dyn Any) -> bool;
    fn kind(&self) -> u8;
    fn octets(&self, out: &mut Vec<u8>);
}

impl<T: Any + Debug + PartialEq + Send + Sync + Octets> Fields for T {
    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn kind(&self) -> u8 {
        T::KIND
    }

    fn octets(&self, out: &mut Vec<u8>) {
        self.write(out);
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
