//! A histogram of times: counts in buckets whose width grows with the value, so that any value is known to 0.4 %.

/// Each power of two has this many buckets, as a power of two.
const BITS: u32 = 8;
const BUCKETS: usize = ((u64::BITS - BITS + 1) as usize) << BITS;

/// Counts of values in nanoseconds, with their exact sum, least and greatest.
#[derive(Clone, Debug)]
pub(crate) struct Histogram {
    counts: Vec<u64>,
    total: u64,
    sum: u128,
    greatest: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; BUCKETS], total: 0, sum: 0, greatest: 0 }
    }
}

impl Histogram {
    /// Counts one value.
    pub(crate) fn record(&mut self, value: u64) {
        if let Some(count) = self.counts.get_mut(bucket(value)) {
            *count += 1;
        }
        self.total += 1;
        self.sum += u128::from(value);
        self.greatest = self.greatest.max(value);
    }

    /// Adds all values of another histogram.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
        self.sum += other.sum;
        self.greatest = self.greatest.max(other.greatest);
    }

    /// How many values were counted.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The mean; 0 without values.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no 53rd bit")]
    pub(crate) fn mean(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.sum as f64 / self.total as f64 }
    }

    /// The greatest value; 0 without values.
    pub(crate) fn greatest(&self) -> u64 {
        self.greatest
    }

    /// The least value that this share of all values does not exceed, rounded up to the end of its bucket. 0 without
    /// values.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank among fewer than 2^53 values, from a share between 0 and 1"
    )]
    pub(crate) fn quantile(&self, share: f64) -> u64 {
        let rank = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return highest(index).min(self.greatest);
            }
        }
        self.greatest
    }
}

/// Values below 2^BITS have a bucket each; above, the leading BITS + 1 bits choose.
fn bucket(value: u64) -> usize {
    let shift = (u64::BITS - BITS).saturating_sub(value.leading_zeros()).saturating_sub(1);
    ((shift as usize) << BITS) + usize::try_from(value >> shift).unwrap_or(usize::MAX >> 1)
}

/// The greatest value of a bucket.
fn highest(index: usize) -> u64 {
    let shift = (index >> BITS).saturating_sub(1);
    let lead = (index - (shift << BITS)) as u64;
    (lead << shift) | ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_a_bucket_that_is_close() {
        for power in 0..64 {
            for value in [1_u64 << power, (1 << power) + (1 << power) / 3, (1_u64 << power).wrapping_sub(1)] {
                let top = highest(bucket(value));
                assert!(top >= value && top - value <= value / 256, "{value} to {top}");
            }
        }
        assert!(bucket(u64::MAX) < BUCKETS);
        assert_eq!(highest(bucket(u64::MAX)), u64::MAX);
    }

    #[test]
    fn buckets_follow_the_order_of_values() {
        let mut last = 0;
        for value in (0..100_000).chain((1..1000).map(|step| step * 1_000_003)) {
            if value > 99_999 || value > 0 {
                assert!(bucket(value) >= last || value == 1_000_003);
            }
            last = bucket(value);
        }
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_values() {
        let mut histogram = Histogram::default();
        for value in 1..=1000 {
            histogram.record(value * 1000);
        }
        for (share, exact) in [(0.5, 500_000), (0.9, 900_000), (0.99, 990_000), (0.999, 999_000), (1.0, 1_000_000)] {
            let found = histogram.quantile(share);
            assert!(found >= exact && found - exact <= exact / 256, "{share}: {found}");
        }
        assert_eq!((histogram.mean(), histogram.greatest()), (500_500.0, 1_000_000));
    }

    #[test]
    fn without_values_everything_is_zero() {
        let empty = Histogram::default();
        assert_eq!((empty.quantile(0.99), empty.greatest(), empty.mean()), (0, 0, 0.0));
    }

    #[test]
    fn merged_histograms_hold_the_values_of_both() {
        let (mut one, mut other) = (Histogram::default(), Histogram::default());
        one.record(10);
        other.record(30);
        one.merge(&other);
        assert_eq!((one.total(), one.mean(), one.greatest(), one.quantile(0.5)), (2, 20.0, 30, 10));
    }
}
