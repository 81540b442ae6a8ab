/// The exact sum of doubles: a fixed-point number that is wide enough for every bit of every double, rounded once at
/// the end.
///
/// Neither the order of the numbers nor an intermediate sum that overflows a double affects the result. (A list of
/// partial sums after J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997, was the alternative; its
/// intermediate sums overflow.)
struct DoubleSum {
    /// Each limb holds 32 bits of the number, with a sign and room for carries; the lowest bit of the first has the
    /// weight 2^−1074.
    private var limbs = [Int64](repeating: 0, count: 69)
    private var additionsUntilCarry = 1 << 29
    private var hasPositiveInfinity = false
    private var hasNegativeInfinity = false

    mutating func add(_ value: Double) {
        guard value.isFinite else {
            if value > 0 { hasPositiveInfinity = true } else { hasNegativeInfinity = true }
            return
        }
        let bits = value.bitPattern
        let exponent = Int(bits >> 52 & 0x7FF)
        let fraction = bits & 0xF_FFFF_FFFF_FFFF
        // A subnormal number has no hidden bit, and has the exponent of the smallest normal number.
        let significand = exponent == 0 ? fraction : fraction | UInt64(1) << 52
        let position = max(exponent, 1) - 1
        let (limb, shift) = (position >> 5, position & 31)
        let wide = UInt128(significand) << UInt128(shift)
        let sign: Int64 = value.sign == .minus ? -1 : 1
        limbs[limb] += sign * Int64(wide & 0xFFFF_FFFF)
        limbs[limb + 1] += sign * Int64(wide >> 32 & 0xFFFF_FFFF)
        limbs[limb + 2] += sign * Int64(wide >> 64)
        additionsUntilCarry -= 1
        if additionsUntilCarry == 0 { carry() }
    }

    /// Adds another sum.
    mutating func add(_ other: DoubleSum) {
        var other = other
        other.carry()
        carry()
        for index in limbs.indices { limbs[index] += other.limbs[index] }
        carry()
        hasPositiveInfinity = hasPositiveInfinity || other.hasPositiveInfinity
        hasNegativeInfinity = hasNegativeInfinity || other.hasNegativeInfinity
    }

    /// Returns the sum; nil if it is ∞ − ∞.
    ///
    /// - Throws: `arithmetic` if it is finite and too large for a double.
    func value() throws -> Double? {
        switch (hasPositiveInfinity, hasNegativeInfinity) {
        case (true, true): return nil
        case (true, false): return .infinity
        case (false, true): return -.infinity
        case (false, false): break
        }
        var copy = self
        let isNegative = copy.makeMagnitude()
        let magnitude = copy.roundedMagnitude()
        guard magnitude.isFinite else { throw StoreError.overflow }
        return isNegative ? -magnitude : magnitude
    }

    /// Carries, so that each limb but the last fits into 32 bits.
    private mutating func carry() {
        for index in 0..<limbs.count - 1 {
            limbs[index + 1] += limbs[index] >> 32
            limbs[index] &= 0xFFFF_FFFF
        }
        additionsUntilCarry = 1 << 29
    }

    /// Makes the number positive, and returns whether it was negative.
    private mutating func makeMagnitude() -> Bool {
        carry()
        guard limbs[limbs.count - 1] < 0 else { return false }
        for index in limbs.indices { limbs[index] = -limbs[index] }
        carry()
        return true
    }

    /// The nearest double, ties to even.
    private func roundedMagnitude() -> Double {
        guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
        func limb(_ index: Int) -> UInt128 { index < 0 ? 0 : UInt128(limbs[index]) }
        let window = limb(top) << 64 | limb(top - 1) << 32 | limb(top - 2)
        let highest = 127 - window.leadingZeroBitCount
        // The lowest bit of the window is bit `base` of the whole number.
        let base = (top - 2) * 32
        let dropped = highest - 52
        // A number below 2^53 units is exactly a double, subnormal ones included.
        guard base + dropped > 0 else {
            return Double(sign: .plus, exponent: -1074, significand: 1) * Double(window >> UInt128(-base))
        }
        var kept = UInt64(truncatingIfNeeded: window >> UInt128(dropped))
        let rest = window & (1 << UInt128(dropped) - 1)
        let half: UInt128 = 1 << UInt128(dropped - 1)
        let isSticky = limbs[..<max(0, top - 2)].contains { $0 != 0 }
        if rest > half || (rest == half && (isSticky || kept & 1 == 1)) { kept += 1 }
        return Double(sign: .plus, exponent: base + dropped - 1074, significand: Double(kept))
    }
}
