/// The text of doubles in `string(…)` and `double(…)`.
enum DoubleText {
    /// The shortest digits that give the same double again: `1`, `0.25`, `1e+21`, `NaN`, `-Infinity`. A whole
    /// number has no point.
    ///
    /// An exponent appears below 0.0001 and from 1e21 on, as Go's `fmt` prints with `%v`.
    static func text(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity" }
        // Swift's description has the shortest digits, but puts the point and the exponent elsewhere.
        let parts = value.magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        var digits = mantissa.joined()
        // The number of digits before the point.
        var point = mantissa[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        let zeros = digits.prefix { $0 == "0" }.count
        digits.removeFirst(zeros)
        point -= zeros
        while digits.last == "0" { digits.removeLast() }
        let sign = value.sign == .minus ? "-" : ""
        guard !digits.isEmpty else { return sign + "0" }
        guard (-3...21).contains(point) else {
            let exponent = String((point - 1).magnitude)
            let rest = digits.dropFirst()
            return "\(sign)\(digits.prefix(1))\(rest.isEmpty ? "" : "." + rest)e\(point < 1 ? "-" : "+")"
                + (exponent.utf8.count < 2 ? "0" : "") + exponent
        }
        if point <= 0 { return "\(sign)0.\(String(repeating: "0", count: -point))\(digits)" }
        guard digits.utf8.count > point else {
            return sign + digits + String(repeating: "0", count: point - digits.utf8.count)
        }
        return "\(sign)\(digits.prefix(point)).\(digits.dropFirst(point))"
    }

    /// Parses a decimal number, `NaN` or an infinity. Nil for other text, or a number beyond a double.
    static func double(_ text: String) -> Double? {
        let isNumber = text.utf8.contains { (48...57).contains($0) }
        guard let value = Double(text), value.isFinite || !isNumber else { return nil }
        return value
    }
}
