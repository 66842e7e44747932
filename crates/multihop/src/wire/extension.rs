//! What routing schemes add to messages, or send as messages of their own, without the other layers
//! knowing what it is.

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::Arc;

/// Fields of a scheme's own, shared by the copies of a packet.
#[derive(Clone)]
pub struct Extension(Arc<dyn Fields>);

/// What a scheme's own fields have to be.
trait Fields: Any + Debug + Send + Sync {
    fn equals(&self, other: &dyn Any) -> bool;
}

impl<T: Any + Debug + PartialEq + Send + Sync> Fields for T {
    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }
}

impl Extension {
    /// These fields.
    pub fn new<T: Any + Debug + PartialEq + Send + Sync>(fields: T) -> Extension {
        Extension(Arc::new(fields))
    }

    /// The fields, if they are of this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        let fields: &dyn Any = &*self.0;
        fields.downcast_ref()
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

    #[test]
    fn fields_are_found_by_their_type_and_compared_by_value() {
        let three = Extension::new(3_u32);
        assert_eq!(three.get::<u32>(), Some(&3));
        assert_eq!(three.get::<u64>(), None);
        assert_eq!(three, Extension::new(3_u32));
        assert_ne!(three, Extension::new(4_u32));
        assert_ne!(three, Extension::new(3_u64));
    }
}
