//! Random numbers that are the same everywhere: SplitMix64.

/// A sequence of random numbers.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 for a limit of 0.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.next().checked_rem(limit as u64).unwrap_or(0) as usize
    }

    /// True once in `times` times.
    pub(super) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of the choices; none when there are none.
    pub(super) fn choose<T: Clone>(&mut self, choices: &[T]) -> Option<T> {
        choices.get(self.below(choices.len())).cloned()
    }
}
