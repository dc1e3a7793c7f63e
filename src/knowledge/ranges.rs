//! Ranges of addresses: `10.0.0.0/8`, `fc00::/7`.

use core::net::IpAddr;

/// The first address of a range, how many of its bits are fixed, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    address: u128,
    fixed: u32,
    bits: u32,
}

impl Range {
    /// A range as it is written; an address alone is one.
    pub fn of(text: &str) -> Option<Self> {
        let (address, fixed) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let (address, bits) = match address.parse().ok()? {
            IpAddr::V4(address) => (u128::from(address.to_bits()), 32),
            IpAddr::V6(address) => (address.to_bits(), 128),
        };
        let fixed = fixed.map_or(Some(bits), |fixed| fixed.parse().ok()).filter(|fixed| *fixed <= bits)?;
        Some(Self { address, fixed, bits })
    }

    /// Whether all of the other is in it.
    pub fn holds(self, part: Self) -> bool {
        let cut = |range: Self| range.address.checked_shr(self.bits - self.fixed).unwrap_or_default();
        self.bits == part.bits && self.fixed <= part.fixed && cut(self) == cut(part)
    }

    /// Where it begins, among those of its kind.
    pub fn place(self) -> (u32, u128) {
        (self.bits, self.address)
    }

    /// One address.
    pub fn is_one(self) -> bool {
        self.fixed == self.bits
    }

    /// So few addresses that each of them is meant: an office's, not a network's.
    pub fn is_few(self) -> bool {
        self.bits - self.fixed <= 4
    }

    /// Whether more addresses are in it than in the other, whichever they are.
    pub fn is_greater(self, other: Self) -> bool {
        self.bits - self.fixed > other.bits - other.fixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_holds_its_parts() {
        let holds = |wide: &str, part: &str| Range::of(wide).unwrap().holds(Range::of(part).unwrap());
        assert!(
            holds("10.0.0.0/8", "10.2.0.0/16") && holds("0.0.0.0/0", "1.2.3.4") && holds("::/0", "fc00::/7")
        );
        assert!(!holds("10.0.0.0/8", "10.0.0.0/7") && !holds("10.0.0.0/8", "11.0.0.0/16"));
        assert!(!holds("::/0", "10.0.0.0/8"));
        assert_eq!(Range::of("10.0.0.0/40"), None);
        assert_eq!(Range::of("pl-1"), None);
    }
}
