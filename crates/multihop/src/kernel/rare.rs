//! A value that is hardly ever there.

use std::ops::{Deref, DerefMut};

/// A value in a box of its own, if it is there. Code that clones or drops it is kept out of the way, so that what
/// contains it stays as cheap as without.
#[derive(Debug, PartialEq)]
pub struct Rare<T>(Option<Box<T>>);

impl<T> Rare<T> {
    /// Nothing.
    pub const NONE: Rare<T> = Rare(None);

    /// `value`.
    pub fn some(value: T) -> Rare<T> {
        Rare(Some(Box::new(value)))
    }
}

impl<T> Default for Rare<T> {
    #[inline]
    fn default() -> Rare<T> {
        Rare::NONE
    }
}

impl<T> Deref for Rare<T> {
    type Target = Option<Box<T>>;

    #[inline]
    fn deref(&self) -> &Option<Box<T>> {
        &self.0
    }
}

impl<T> DerefMut for Rare<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Option<Box<T>> {
        &mut self.0
    }
}

impl<T: Clone> Clone for Rare<T> {
    #[inline]
    fn clone(&self) -> Rare<T> {
        match &self.0 {
            None => Rare(None),
            Some(value) => clone(value),
        }
    }
}

impl<T> Drop for Rare<T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(value) = self.0.take() {
            discard(value);
        }
    }
}

#[cold]
#[inline(never)]
fn clone<T: Clone>(value: &T) -> Rare<T> {
    Rare::some(value.clone())
}

#[cold]
#[inline(never)]
fn discard<T>(value: Box<T>) {
    drop(value);
}
