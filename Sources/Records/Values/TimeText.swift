/// Conversions between text and durations or timestamps.
public enum TimeText {
    /// A duration as text: seconds with up to nine decimals and an `s`. There are no trailing zeros.
    /// Examples are `1.5s`, `-0.000000001s` and `0s`.
    public static func duration(nanoseconds: Int64) -> String {
        let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        return "\(nanoseconds < 0 ? "-" : "")\(seconds)\(fraction(rest))s"
    }

    /// Parses a duration in Go's form, which CEL uses too. The result is in nanoseconds.
    ///
    /// The text is an optional sign and decimal numbers, each with a unit: `h`, `m`, `s`, `ms`, `us` (or
    /// `µs`) or `ns`. Examples are `1h30m`, `1.5s` and `-100ms`. `0` needs no unit.
    ///
    /// The result is nil for other text, and beyond `Int64` nanoseconds (about 292 years).
    public static func nanoseconds(ofDuration text: String) -> Int64? {
        var rest = Substring(text)
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest.removeFirst() }
        if rest == "0" { return 0 }
        guard !rest.isEmpty else { return nil }
        var total: Int64 = 0
        while !rest.isEmpty {
            let whole = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(whole.count)
            var decimals = Substring()
            if rest.first == "." {
                decimals = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
                rest = rest.dropFirst(1 + decimals.count)
            }
            guard !(whole.isEmpty && decimals.isEmpty),
                let unit = units.first(where: { rest.hasPrefix($0.name) }),
                let value = whole.isEmpty ? 0 : Int64(whole)
            else { return nil }
            rest = rest.dropFirst(unit.name.count)
            var (part, overflow) = value.multipliedReportingOverflow(by: unit.nanoseconds)
            var scale = unit.nanoseconds
            for digit in decimals.utf8 {
                scale /= 10
                part = part.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")) * scale).partialValue
            }
            let sum = total.addingReportingOverflow(isNegative ? -part : part)
            overflow = overflow || part < 0 || sum.overflow
            if overflow { return nil }
            total = sum.partialValue
        }
        return total
    }

    // A longer name comes before a name that is its prefix.
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("h", 3_600_000_000_000), ("ms", 1_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000),
        ("us", 1000),
        ("µs", 1000), ("μs", 1000), ("ns", 1),
    ]

    /// A timestamp as RFC 3339 text in UTC with up to nine decimals: `2026-11-21T05:00:00.25Z`.
    /// Years outside 0 to 9999 get more digits or a sign.
    public static func rfc3339(_ timestamp: Timestamp) -> String {
        let days = timestamp.seconds.flooredQuotient(by: 86400)
        let time = timestamp.seconds - days * 86400
        let (year, month, day) = civil(daysSinceEpoch: days)
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let clock = "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))"
        return "\(date)T\(clock)\(fraction(UInt64(timestamp.nanoseconds)))Z"
    }

    /// Parses RFC 3339 text with `Z` or an offset. Nil for other text, or a day that does not exist.
    public static func timestamp(ofRFC3339 text: String) -> Timestamp? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            return bytes[range].reduce(Int64?(0)) { sum, byte in
                guard let sum, (48...57).contains(byte) else { return nil }
                return sum * 10 + Int64(byte - 48)
            }
        }
        func has(_ character: Unicode.Scalar, at index: Int) -> Bool {
            index < bytes.count && bytes[index] == UInt8(ascii: character)
        }
        guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
            let day = number(8..<10), has("T", at: 10) || has("t", at: 10), let hour = number(11..<13),
            has(":", at: 13), let minute = number(14..<16), has(":", at: 16), let second = number(17..<19),
            (1...12).contains(month), hour < 24, minute < 60, second < 60
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month, day: day)
        guard civil(daysSinceEpoch: days) == (year, month, day) else { return nil }
        var index = 19
        var nanoseconds: Int32 = 0
        if has(".", at: index) {
            let digits = bytes[20...].prefix { (48...57).contains($0) }
            guard (1...9).contains(digits.count) else { return nil }
            nanoseconds = digits.reduce(0) { $0 * 10 + Int32($1 - 48) }
            for _ in digits.count..<9 { nanoseconds *= 10 }
            index += 1 + digits.count
        }
        var offset: Int64 = 0
        if has("Z", at: index) || has("z", at: index) {
            index += 1
        } else {
            guard has("+", at: index) || has("-", at: index), let hours = number(index + 1..<index + 3),
                has(":", at: index + 3), let minutes = number(index + 4..<index + 6), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 60 + minutes) * (has("-", at: index) ? -60 : 60)
            index += 6
        }
        guard index == bytes.count else { return nil }
        return Timestamp(
            seconds: days * 86400 + hour * 3600 + minute * 60 + second - offset, nanoseconds: nanoseconds)
    }

    // Days and dates follow Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`
    // and its inverse.
    /// Days from the Unix epoch to a date.
    public static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.flooredQuotient(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date at a number of days from the Unix epoch.
    public static func civil(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = daysSinceEpoch + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    private static func fraction(_ nanoseconds: UInt64) -> String {
        guard nanoseconds > 0 else { return "" }
        var digits = String(1_000_000_000 + nanoseconds).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "." + digits
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number.magnitude)
        return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
