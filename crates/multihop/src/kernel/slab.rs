//! Recycled storage: items keep their slot while in use, and slots are reused.

/// A table of items addressed by small numbers that are reused after removal.
#[derive(Debug)]
pub struct Slab<T> {
    items: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { items: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Stores `item` and returns its number.
    #[inline]
    pub fn insert(&mut self, item: T) -> u32 {
        if let Some(key) = self.free.pop() {
            // A free place holds nothing that would have to be dropped.
            std::mem::forget(self.items[key as usize].replace(item));
            return key;
        }
        self.items.push(Some(item));
        (self.items.len() - 1) as u32
    }

    /// The item `key`.
    ///
    /// # Panics
    /// If there is none: a number outlived its item, which is an engine bug.
    pub fn get_mut(&mut self, key: u32) -> &mut T {
        self.items[key as usize].as_mut().expect("a live item")
    }

    /// Removes item `key`.
    ///
    /// # Panics
    /// If there is none, as for [`Slab::get_mut`].
    #[inline(always)]
    pub fn remove(&mut self, key: u32) -> T {
        let item = self.items[key as usize].take().expect("a live item");
        self.free.push(key);
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again() {
        let mut slab = Slab::default();
        let (a, b) = (slab.insert("a"), slab.insert("b"));
        assert_eq!(slab.remove(a), "a");
        assert_eq!(slab.insert("c"), a);
        assert_eq!((*slab.get_mut(a), *slab.get_mut(b)), ("c", "b"));
    }
}
