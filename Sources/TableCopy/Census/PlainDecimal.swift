/// The shortest decimal text that is read as the same double again, without an exponent: `0.99`, `1200000`.
struct PlainDecimal {
    /// The digits before and after the point, without redundant zeros.
    let whole: Int, fraction: Int
    let text: String

    /// Nil for an infinite number, negative zero, and a number that needs more than 38 digits.
    init?(_ double: Double) {
        guard double.isFinite, !(double == 0 && double.sign == .minus) else { return nil }
        // A whole number of 64 bits is written in full: its shortest text may be that of another whole number.
        if let integer = Int64(exactly: double) {
            text = String(integer)
            (whole, fraction) = (integer == 0 ? 0 : String(integer.magnitude).utf8.count, 0)
            return
        }
        let parts = double.magnitude.description.split(separator: "e")
        let digits = parts[0].split(separator: ".")
        let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        let after = digits.count > 1 && digits[1] != "0" ? digits[1] : ""
        let all = digits[0] + after
        let point = digits[0].utf8.count + exponent
        guard (-38...38).contains(point), all.utf8.count - min(point, 0) <= 38 else { return nil }
        let padded =
            point >= all.utf8.count ? all + String(repeating: "0", count: point - all.utf8.count) : all
        let head = point > 0 ? String(padded.prefix(point)) : "0"
        let tail = String(repeating: "0", count: max(0, -point)) + padded.dropFirst(max(0, point))
        // `0.5` has its zero among the digits.
        let significant = head.drop { $0 == "0" }
        whole = significant.utf8.count
        fraction = tail.utf8.count
        // A zero before the point counts, as in `CanonicalDecimal`.
        guard max(whole, 1) + fraction <= 38 else { return nil }
        text =
            (double < 0 ? "-" : "") + (significant.isEmpty ? "0" : String(significant))
            + (tail.isEmpty ? "" : "." + tail)
    }
}
