import Glibc
import Records

/// A time as the user names it. It is as long as its last digit: `11:44` is a minute, and `11:44:23` a second.
struct JournalMoment: Hashable, Sendable {
    /// Nil: the day of the journal's last entry.
    private let date: (year: Int64, month: Int64, day: Int64)?
    /// Since midnight, in nanoseconds.
    private let time: Int64
    /// In nanoseconds; nil: the whole day.
    private let length: Int64?
    /// Seconds east of UTC; nil: the local time zone.
    private let zone: Int64?
    private let text: String

    /// `11:44`, `11:44:23.5`, `2026-11-23`, `2026-11-23 11:44:23` or RFC 3339; nil for other text.
    init?(_ text: String) {
        self.text = text
        var rest = text[...]
        if let match = rest.prefixMatch(of: /(\d{4})-(\d\d)-(\d\d)/) {
            guard let year = Int64(match.1), let month = Int64(match.2), let day = Int64(match.3),
                (1678..<2262).contains(year), (1...12).contains(month)
            else { return nil }
            let days = TimeText.daysSinceEpoch(year: year, month: month, day: day)
            guard TimeText.civil(daysSinceEpoch: days) == (year, month, day) else { return nil }
            (date, rest) = ((year, month, day), rest[match.range.upperBound...])
            if rest.isEmpty {
                (time, length, zone) = (0, nil, nil)
                return
            }
            guard let mark = rest.popFirst(), "Tt ".contains(mark) else { return nil }
        } else {
            date = nil
        }
        guard
            let match = rest.wholeMatch(
                of: /(\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|z|[+-]\d\d:\d\d)?/),
            let hour = Int64(match.1), let minute = Int64(match.2), hour < 24, minute < 60,
            let second = Int64(match.3 ?? "0"), second < 60, date != nil || match.5 == nil
        else { return nil }
        var (fraction, length) = (Int64(0), Int64(match.3 == nil ? 60 : 1) * Self.second)
        for digit in match.4 ?? "" {
            length /= 10
            fraction += Int64(digit.wholeNumberValue ?? 0) * length
        }
        time = ((hour * 60 + minute) * 60 + second) * Self.second + fraction
        self.length = length
        zone = match.5.map(Self.offset)
    }

    private static let second: Int64 = 1_000_000_000

    /// `Z`, `+01:00`
    private static func offset(_ text: Substring) -> Int64 {
        let numbers = text.dropFirst().split(separator: ":").compactMap { Int64($0) }
        guard numbers.count == 2 else { return 0 }
        return (numbers[0] * 60 + numbers[1]) * (text.hasPrefix("-") ? -60 : 60)
    }

    /// The time, in nanoseconds since 1970-01-01T00:00:00Z.
    ///
    /// - Parameter last: a time of the day that is meant if the text has none.
    func range(onDayOf last: Int64) -> Range<Int64> {
        let day = date ?? JournalTime.day(of: last)
        let start = instant(day, time)
        guard let length else {
            // The next day begins at midnight, also when the clocks change.
            let days = TimeText.daysSinceEpoch(year: day.year, month: day.month, day: day.day)
            return start..<max(start, instant(TimeText.civil(daysSinceEpoch: days + 1), 0))
        }
        return start..<start + length
    }

    private func instant(_ day: (year: Int64, month: Int64, day: Int64), _ time: Int64) -> Int64 {
        guard let zone else { return JournalTime.instant(day, time) }
        let days = TimeText.daysSinceEpoch(year: day.year, month: day.month, day: day.day)
        return (days * 86400 - zone) * Self.second + time
    }

    static func == (left: JournalMoment, right: JournalMoment) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
