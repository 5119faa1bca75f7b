import Diagnostics
import Records

extension Overload {
    /// `duration`, `timestamp` and their arithmetic.
    static let times: [String: [Overload]] = [
        "duration": [
            Overload([.duration], .duration) { arguments, _ in arguments[0] },
            Overload([.string], .duration) { arguments, range in
                let text = arguments[0].text(at: range).content
                return .duration(
                    .computing { frame throws(EvaluationFault) in
                        let text = try text(frame)
                        guard let result = TimeText.nanoseconds(ofDuration: text) else {
                            throw notText(text, of: "a duration, such as `1h30m` or `1.5s`", at: range)
                        }
                        return result
                    })
            },
        ],
        "timestamp": [
            Overload([.timestamp], .timestamp) { arguments, _ in arguments[0] },
            // Seconds since the Unix epoch.
            Overload([.int], .timestamp) { arguments, range in
                .timestamp(
                    arguments[0].intOperand.map { seconds throws(EvaluationFault) in
                        guard calendar.contains(seconds) else {
                            throw EvaluationFault(
                                .doesNotFit, "`\(seconds)` seconds are outside the years 1 to 9999", at: range
                            )
                        }
                        return Timestamp(seconds: seconds)
                    })
            },
            Overload([.string], .timestamp) { arguments, range in
                let text = arguments[0].text(at: range).content
                return .timestamp(
                    .computing { frame throws(EvaluationFault) in
                        let text = try text(frame)
                        guard let result = TimeText.timestamp(ofRFC3339: text) else {
                            throw notText(text, of: "a timestamp, such as `2026-11-21T05:00:00Z`", at: range)
                        }
                        guard calendar.contains(result.seconds) else {
                            throw EvaluationFault(
                                .doesNotFit, "`\(text)` is outside the years 1 to 9999", at: range)
                        }
                        return result
                    })
            },
        ],
        "+": [
            Overload([.duration, .duration], .duration) { arguments, range in
                .duration(
                    .combine(
                        arguments[0].durationOperand, arguments[1].durationOperand,
                        DurationArithmetic(operation: .add, range: range)))
            },
            Overload([.timestamp, .duration], .timestamp) { arguments, range in
                .timestamp(
                    shift(arguments[0].timestampOperand, arguments[1].durationOperand, .add, at: range))
            },
            Overload([.duration, .timestamp], .timestamp) { arguments, range in
                .timestamp(
                    shift(arguments[1].timestampOperand, arguments[0].durationOperand, .add, at: range))
            },
        ],
        "-": [
            Overload([.duration, .duration], .duration) { arguments, range in
                .duration(
                    .combine(
                        arguments[0].durationOperand, arguments[1].durationOperand,
                        DurationArithmetic(operation: .subtract, range: range)))
            },
            Overload([.timestamp, .duration], .timestamp) { arguments, range in
                .timestamp(
                    shift(arguments[0].timestampOperand, arguments[1].durationOperand, .subtract, at: range))
            },
            Overload([.timestamp, .timestamp], .duration) { arguments, range in
                let (left, right) = (
                    arguments[0].timestampOperand.computation, arguments[1].timestampOperand.computation
                )
                return .duration(
                    .computing { frame throws(EvaluationFault) in
                        let (a, b) = (try left(frame), try right(frame))
                        let seconds = (a.seconds - b.seconds).multipliedReportingOverflow(by: 1_000_000_000)
                        let total = seconds.partialValue.addingReportingOverflow(
                            Int64(a.nanoseconds) - Int64(b.nanoseconds))
                        guard !seconds.overflow, !total.overflow else {
                            let (from, to) = (TimeText.rfc3339(b), TimeText.rfc3339(a))
                            throw EvaluationFault(
                                .overflow, "the time from `\(from)` to `\(to)` overflows duration", at: range)
                        }
                        return total.partialValue
                    })
            },
        ],
    ]

    /// The seconds since the Unix epoch of the years 1 to 9999, the range of CEL's timestamps.
    static let calendar: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    private static func shift(
        _ timestamp: Operand<Timestamp>, _ duration: Operand<Int64>, _ operation: BinaryOperator,
        at range: Range<Int>
    ) -> Operand<Timestamp> {
        let (timestamp, duration) = (timestamp.computation, duration.computation)
        return .computing { frame throws(EvaluationFault) in
            let (instant, distance) = (try timestamp(frame), try duration(frame))
            // The distance is split, so that neither the smallest duration nor an extreme timestamp
            // overflows.
            let whole = distance / 1_000_000_000
            let sign: Int64 = operation == .add ? 1 : -1
            var nanoseconds = Int64(instant.nanoseconds) + sign * (distance % 1_000_000_000)
            var seconds = instant.seconds + sign * whole
            if nanoseconds < 0 {
                (nanoseconds, seconds) = (nanoseconds + 1_000_000_000, seconds - 1)
            } else if nanoseconds >= 1_000_000_000 {
                (nanoseconds, seconds) = (nanoseconds - 1_000_000_000, seconds + 1)
            }
            guard calendar.contains(seconds) else {
                let span = TimeText.duration(nanoseconds: distance)
                let text = "\(TimeText.rfc3339(instant)) \(operation.rawValue) \(span)"
                throw EvaluationFault(.overflow, "`\(text)` is outside the years 1 to 9999", at: range)
            }
            return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
        }
    }
}

/// Addition and subtraction of durations.
struct DurationArithmetic: BinaryFunction {
    typealias Left = Int64
    typealias Right = Int64
    typealias Output = Int64

    let operation: BinaryOperator
    let range: Range<Int>

    func compile(_ left: some Source<Int64>, _ right: some Source<Int64>) -> IntComputation {
        IntComputation { frame throws(EvaluationFault) in
            let (a, b) = (try left(frame), try right(frame))
            let result = operation == .add ? a.addingReportingOverflow(b) : a.subtractingReportingOverflow(b)
            guard !result.overflow else {
                let (first, second) = (TimeText.duration(nanoseconds: a), TimeText.duration(nanoseconds: b))
                throw EvaluationFault(
                    .overflow, "`\(first) \(operation.rawValue) \(second)` overflows duration", at: range)
            }
            return result.partialValue
        }
    }
}

extension Overload {
    /// The methods such as `getHours` of a timestamp, in UTC or in a time zone, and of a duration.
    static let accessors: [String: [Overload]] = {
        var table: [String: [Overload]] = [:]
        let fields: [(String, @Sendable (CivilTime) -> Int64)] = [
            ("getFullYear", { $0.date.year }), ("getMonth", { $0.date.month - 1 }),
            ("getDayOfYear", { $0.dayOfYear }), ("getDayOfMonth", { $0.date.day - 1 }),
            ("getDate", { $0.date.day }), ("getDayOfWeek", { $0.dayOfWeek }), ("getHours", { $0.hours }),
            ("getMinutes", { $0.minutes }), ("getSeconds", { $0.seconds }),
            ("getMilliseconds", { $0.milliseconds }),
        ]
        for (name, field) in fields {
            table["." + name] = [
                Overload([.timestamp], .int) { arguments, _ in
                    .int(arguments[0].timestampOperand.map { field(CivilTime($0, offset: 0)) })
                },
                Overload([.timestamp, .string], .int) { arguments, range in
                    .int(zoned(arguments[0].timestampOperand, arguments[1].text(at: range), field, at: range))
                },
            ]
        }
        // Each method returns the whole duration in its unit. Only `getMilliseconds` returns the part below
        // one second.
        let units: [(String, Int64)] = [
            ("getHours", 3_600_000_000_000), ("getMinutes", 60_000_000_000), ("getSeconds", 1_000_000_000),
        ]
        for (name, unit) in units {
            table["." + name, default: []].append(
                Overload([.duration], .int) { arguments, _ in
                    .int(arguments[0].durationOperand.map { $0 / unit })
                })
        }
        table[".getMilliseconds", default: []].append(
            Overload([.duration], .int) { arguments, _ in
                .int(arguments[0].durationOperand.map { $0 / 1_000_000 % 1000 })
            })
        return table
    }()

    /// Reads a constant time zone once, and any other time zone at each evaluation.
    private static func zoned(
        _ timestamp: Operand<Timestamp>, _ name: Octets<String>,
        _ field: @escaping @Sendable (CivilTime) -> Int64, at range: Range<Int>
    ) -> Operand<Int64> {
        @Sendable func zone(_ name: String) throws(EvaluationFault) -> TimeZone {
            guard let zone = TimeZone(name) else {
                throw EvaluationFault(
                    .invalidText,
                    "`\(name.abridged)` is not a time zone, such as `Europe/Berlin` or `+02:00`",
                    at: range)
            }
            return zone
        }
        if let constant = name.constant {
            do throws(EvaluationFault) {
                let zone = try zone(constant)
                return timestamp.map { field(CivilTime($0, offset: zone.offset(at: $0.seconds))) }
            } catch {
                return .computing { _ throws(EvaluationFault) in throw error }
            }
        }
        let (timestamp, name) = (timestamp.computation, name.content)
        return .computing { frame throws(EvaluationFault) in
            let instant = try timestamp(frame)
            let zone = try zone(try name(frame))
            return field(CivilTime(instant, offset: zone.offset(at: instant.seconds)))
        }
    }
}

/// Date and time of day at an offset from UTC.
private struct CivilTime {
    private let days: Int64
    private let secondOfDay: Int64
    let milliseconds: Int64

    init(_ timestamp: Timestamp, offset: Int64) {
        let local = timestamp.seconds + offset
        days = local.flooredQuotient(by: 86400)
        secondOfDay = local - days * 86400
        milliseconds = Int64(timestamp.nanoseconds / 1_000_000)
    }

    var date: (year: Int64, month: Int64, day: Int64) { TimeText.civil(daysSinceEpoch: days) }
    var dayOfYear: Int64 { days - TimeText.daysSinceEpoch(year: date.year, month: 1, day: 1) }
    /// The day of the week, from 0 on Sunday. The epoch was a Thursday.
    var dayOfWeek: Int64 { (days + 4) - (days + 4).flooredQuotient(by: 7) * 7 }
    var hours: Int64 { secondOfDay / 3600 }
    var minutes: Int64 { secondOfDay / 60 % 60 }
    var seconds: Int64 { secondOfDay % 60 }
}
