import Records

/// The yearly rule at the end of a zone file, in the form of POSIX's `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct TimeZoneRule: Sendable {
    private struct Change: Sendable {
        enum Day: Sendable {
            /// 1 to 365. 29 February is never counted.
            case julian(Int64)
            /// 0 to 365. 29 February is counted.
            case ordinal(Int64)
            /// The `day` (0 is Sunday) in the `week`th week of a month. Week 5 means the last one.
            case weekday(month: Int64, week: Int64, day: Int64)
        }

        var day: Day
        /// Seconds from midnight, in the local time before the change. It may be negative or more than a day.
        var time: Int64

        /// The change in a year, in seconds since the epoch as if the local time were UTC.
        func moment(in year: Int64) -> Int64 {
            let start = TimeText.daysSinceEpoch(year: year, month: 1, day: 1)
            let date: Int64
            switch day {
            case .julian(let number):
                let isLeap = TimeText.daysSinceEpoch(year: year + 1, month: 1, day: 1) - start == 366
                date = start + number - (isLeap && number >= 60 ? 0 : 1)
            case .ordinal(let number): date = start + number
            case .weekday(let month, let week, let day):
                let first = TimeText.daysSinceEpoch(year: year, month: month, day: 1)
                let next =
                    month == 12
                    ? TimeText.daysSinceEpoch(year: year + 1, month: 1, day: 1)
                    : TimeText.daysSinceEpoch(year: year, month: month + 1, day: 1)
                // The epoch was a Thursday.
                let weekday = (first + 4) - (first + 4).flooredQuotient(by: 7) * 7
                var found = first + (day - weekday + 7) % 7 + (week - 1) * 7
                while found >= next { found -= 7 }
                date = found
            }
            return date * 86400 + time
        }
    }

    private let standard: Int64
    private let summer: (offset: Int64, start: Change, end: Change)?

    /// Parses a rule; nil for other text.
    init?(_ text: String) {
        var reader = RuleReader(text)
        guard reader.skipName(), let west = reader.time() else { return nil }
        standard = -west
        if reader.isAtEnd {
            summer = nil
            return
        }
        guard reader.skipName() else { return nil }
        let offset: Int64
        if reader.peek == UInt8(ascii: ",") {
            offset = standard + 3600
        } else {
            guard let west = reader.time() else { return nil }
            offset = -west
        }
        guard let start = Self.change(&reader), let end = Self.change(&reader), reader.isAtEnd else {
            return nil
        }
        summer = (offset, start, end)
    }

    /// The offset at an instant, in seconds since the epoch.
    func offset(at instant: Int64) -> Int64 {
        guard let summer else { return standard }
        let year = TimeText.civil(daysSinceEpoch: (instant + standard).flooredQuotient(by: 86400)).year
        let start = summer.start.moment(in: year) - standard
        let end = summer.end.moment(in: year) - summer.offset
        // In the south, summer ends in the next year.
        let isSummer = start < end ? (start..<end).contains(instant) : !(end..<start).contains(instant)
        return isSummer ? summer.offset : standard
    }

    private static func change(_ reader: inout RuleReader) -> Change? {
        guard reader.take(",") else { return nil }
        let day: Change.Day
        if reader.take("M") {
            guard let month = reader.number(), reader.take("."), let week = reader.number(), reader.take("."),
                let weekday = reader.number(), (1...12).contains(month), (1...5).contains(week),
                (0...6).contains(weekday)
            else { return nil }
            day = .weekday(month: month, week: week, day: weekday)
        } else if reader.take("J") {
            guard let number = reader.number(), (1...365).contains(number) else { return nil }
            day = .julian(number)
        } else {
            guard let number = reader.number(), (0...365).contains(number) else { return nil }
            day = .ordinal(number)
        }
        guard reader.take("/") else { return Change(day: day, time: 7200) }
        return reader.time().map { Change(day: day, time: $0) }
    }
}

private struct RuleReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    var peek: UInt8? { rest.first }
    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Skips the name of a time zone: three or more letters, or any text in angle brackets.
    mutating func skipName() -> Bool {
        if take("<") {
            guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
            rest = rest[(end + 1)...]
            return true
        }
        let letters = rest.prefix { (97...122).contains($0 | 0x20) }
        rest = rest.dropFirst(letters.count)
        return letters.count >= 3
    }

    mutating func number() -> Int64? {
        let digits = rest.prefix { (48...57).contains($0) }
        rest = rest.dropFirst(digits.count)
        return digits.count > 4 ? nil : Int64(String(decoding: digits, as: UTF8.self))
    }

    /// Parses `[+-]h[:m[:s]]` to seconds.
    mutating func time() -> Int64? {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        guard var seconds = number().map({ $0 * 3600 }) else { return nil }
        if take(":") {
            guard let minutes = number() else { return nil }
            seconds += minutes * 60
            if take(":") {
                guard let rest = number() else { return nil }
                seconds += rest
            }
        }
        return isNegative ? -seconds : seconds
    }
}
