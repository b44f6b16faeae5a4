//! Places for connections, by number.
//!
//! Laid out in pages, so that growing never copies and never doubles the memory. A place that was left is taken first by the
//! next one, so the pages in use stay few; a page with nobody in it is given back when it is the last one.

/// Places of a page.
const PAGE: usize = 256;

enum Place<T> {
    Taken(T),
    /// Free, and the next free place.
    Free(Option<u32>),
}

/// A growing set of `T` with stable numbers.
pub(crate) struct Slab<T> {
    pages: Vec<Vec<Place<T>>>,
    free: Option<u32>,
    taken: usize,
}

impl<T> Slab<T> {
    pub(crate) fn new() -> Self {
        Self { pages: Vec::new(), free: None, taken: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.taken
    }

    /// Puts a value into a free place; its number. None if there are no more numbers.
    pub(crate) fn insert(&mut self, value: T) -> Option<u32> {
        let slot = match self.free {
            Some(slot) => {
                let place = self.place_mut(slot)?;
                let Place::Free(next) = place else { return None };
                let next = *next;
                *place = Place::Taken(value);
                self.free = next;
                slot
            }
            None => {
                if self.pages.last().is_none_or(|page| page.len() == PAGE) {
                    self.pages.push(Vec::with_capacity(PAGE));
                }
                let before = (self.pages.len() - 1) * PAGE;
                let page = self.pages.last_mut()?;
                let slot = u32::try_from(before + page.len()).ok().filter(|slot| *slot != u32::MAX)?;
                page.push(Place::Taken(value));
                slot
            }
        };
        self.taken += 1;
        Some(slot)
    }

    pub(crate) fn remove(&mut self, slot: u32) -> Option<T> {
        let free = self.free;
        let place = self.place_mut(slot)?;
        let Place::Taken(_) = place else { return None };
        let Place::Taken(value) = std::mem::replace(place, Place::Free(free)) else { return None };
        self.free = Some(slot);
        self.taken -= 1;
        if self.taken == 0 {
            // Nobody holds a number: all pages but one can go.
            self.pages.truncate(1);
            self.pages.iter_mut().for_each(Vec::clear);
            self.free = None;
        }
        Some(value)
    }

    fn place_mut(&mut self, slot: u32) -> Option<&mut Place<T>> {
        let slot = slot as usize;
        self.pages.get_mut(slot / PAGE)?.get_mut(slot % PAGE)
    }

    pub(crate) fn get(&self, slot: u32) -> Option<&T> {
        let slot = slot as usize;
        match self.pages.get(slot / PAGE)?.get(slot % PAGE)? {
            Place::Taken(value) => Some(value),
            Place::Free(_) => None,
        }
    }

    pub(crate) fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        match self.place_mut(slot)? {
            Place::Taken(value) => Some(value),
            Place::Free(_) => None,
        }
    }

    /// The numbers of all taken places.
    pub(crate) fn slots(&self) -> Vec<u32> {
        let places = self.pages.iter().flatten().zip(0..);
        places.filter(|(place, _)| matches!(place, Place::Taken(_))).map(|(_, slot)| slot).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_taken_left_and_taken_again() {
        let mut slab = Slab::new();
        let slots: Vec<u32> = (0..1000).filter_map(|value| slab.insert(value)).collect();
        assert_eq!(slots, (0..1000).collect::<Vec<u32>>());
        assert_eq!(slab.remove(500), Some(500));
        assert_eq!(slab.remove(500), None);
        assert_eq!(slab.remove(7), Some(7));
        assert_eq!((slab.get(7), slab.get(8), slab.get(5000)), (None, Some(&8), None));
        assert_eq!(slab.insert(-1), Some(7));
        assert_eq!(slab.insert(-2), Some(500));
        assert_eq!(slab.insert(-3), Some(1000));
        assert_eq!((slab.len(), slab.slots().len()), (1001, 1001));
        for slot in slab.slots() {
            slab.remove(slot);
        }
        assert_eq!((slab.len(), slab.pages.len()), (0, 1));
        assert_eq!(slab.insert(1), Some(0));
    }
}
