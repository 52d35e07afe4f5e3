//! Formats of floating-point numbers and the ways to round to them.

use dashu_int::UBig;

/// A binary interchange format of IEEE 754: the widths of its exponent and of its significand, the hidden bit included.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FloatFormat {
    /// Bits of the exponent, at least 2.
    pub exponent: u32,
    /// Bits of the significand with the hidden one, at least 2.
    pub significand: u32,
}

impl FloatFormat {
    /// `Float16`.
    pub const HALF: FloatFormat = FloatFormat { exponent: 5, significand: 11 };
    /// `Float32`.
    pub const SINGLE: FloatFormat = FloatFormat { exponent: 8, significand: 24 };
    /// `Float64`.
    pub const DOUBLE: FloatFormat = FloatFormat { exponent: 11, significand: 53 };
    /// `Float128`.
    pub const QUAD: FloatFormat = FloatFormat { exponent: 15, significand: 113 };
    /// Exponents may have at most so many bits.
    pub const MAX_EXPONENT: u32 = 20;
    /// Significands may have at most so many bits.
    pub const MAX_SIGNIFICAND: u32 = 1 << 16;

    /// Bits of a number in this format.
    pub fn width(self) -> u32 {
        self.exponent + self.significand
    }

    /// What is added to an exponent to store it; also the greatest exponent of a finite number.
    pub fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of the least normal number.
    pub fn least_exponent(self) -> i64 {
        1 - self.bias()
    }

    /// The bits of infinity.
    pub fn infinity(self, negative: bool) -> UBig {
        let magnitude = UBig::ones(self.exponent as usize) << (self.significand as usize - 1);
        self.signed(negative, magnitude)
    }

    /// The bits of the greatest finite number.
    pub fn greatest(self, negative: bool) -> UBig {
        self.signed(negative, self.infinity(false) - UBig::ONE)
    }

    /// The bits of zero.
    pub fn zero(self, negative: bool) -> UBig {
        self.signed(negative, UBig::ZERO)
    }

    /// The bits that stand for NaN: quiet, positive, without payload.
    pub fn nan(self) -> UBig {
        self.infinity(false) | UBig::ONE << (self.significand as usize - 2)
    }

    /// Do these bits denote NaN?
    pub fn is_nan(self, bits: &UBig) -> bool {
        let mut magnitude = bits.clone();
        magnitude.clear_high_bits(self.width() as usize - 1);
        magnitude > self.infinity(false)
    }

    /// The bits of the same number, every NaN having the same ones.
    pub fn canonical(self, bits: UBig) -> UBig {
        if self.is_nan(&bits) { self.nan() } else { bits }
    }

    pub(super) fn signed(self, negative: bool, magnitude: UBig) -> UBig {
        if negative { magnitude | UBig::ONE << (self.width() as usize - 1) } else { magnitude }
    }
}

/// Where a number that a format does not have is rounded to. The discriminants are the positions of the constructors of the
/// sort `RoundingMode`.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum RoundingMode {
    /// To the nearest number, in a tie to the even one: `RNE`.
    NearestEven,
    /// To the nearest number, in a tie away from zero: `RNA`.
    NearestAway,
    /// Up: `RTP`.
    Positive,
    /// Down: `RTN`.
    Negative,
    /// Towards zero: `RTZ`.
    Zero,
}

impl RoundingMode {
    /// All of them, by position.
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::Positive,
        RoundingMode::Negative,
        RoundingMode::Zero,
    ];

    /// The short name in SMT-LIB.
    pub fn name(self) -> &'static str {
        ["RNE", "RNA", "RTP", "RTN", "RTZ"][self as usize]
    }

    /// The long name in SMT-LIB.
    pub fn long_name(self) -> &'static str {
        [
            "roundNearestTiesToEven",
            "roundNearestTiesToAway",
            "roundTowardPositive",
            "roundTowardNegative",
            "roundTowardZero",
        ][self as usize]
    }

    /// Is a magnitude that was cut off rounded up? `half` is the first bit that was cut off, `rest` says whether any bit after it is set.
    pub(super) fn rounds_up(self, negative: bool, odd: bool, half: bool, rest: bool) -> bool {
        match self {
            RoundingMode::NearestEven => half && (rest || odd),
            RoundingMode::NearestAway => half,
            RoundingMode::Positive => !negative && (half || rest),
            RoundingMode::Negative => negative && (half || rest),
            RoundingMode::Zero => false,
        }
    }

    /// Does a result beyond the greatest finite number become infinite?
    pub(super) fn overflows(self, negative: bool) -> bool {
        match self {
            RoundingMode::NearestEven | RoundingMode::NearestAway => true,
            RoundingMode::Positive => !negative,
            RoundingMode::Negative => negative,
            RoundingMode::Zero => false,
        }
    }
}
