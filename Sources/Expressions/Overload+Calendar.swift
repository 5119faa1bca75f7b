import Diagnostics
import Records

extension Overload {
    /// What `getHours` and the like read from a timestamp, in UTC or in a time zone, and from a duration.
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
        // A duration is told whole in each unit, but for its milliseconds, which are those of its last second.
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

    /// A constant zone is read once, any other when it is evaluated.
    private static func zoned(
        _ timestamp: Operand<Timestamp>, _ name: Octets<String>,
        _ field: @escaping @Sendable (CivilTime) -> Int64, at range: Range<Int>
    ) -> Operand<Int64> {
        @Sendable func zone(_ name: String) throws(EvaluationFault) -> TimeZone {
            guard let zone = TimeZone(name) else {
                throw EvaluationFault(
                    .invalidText, "`\(name.abridged)` is no time zone, such as `Europe/Berlin` or `+02:00`",
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
    /// From 0 on Sunday; the epoch was a Thursday.
    var dayOfWeek: Int64 { (days + 4) - (days + 4).flooredQuotient(by: 7) * 7 }
    var hours: Int64 { secondOfDay / 3600 }
    var minutes: Int64 { secondOfDay / 60 % 60 }
    var seconds: Int64 { secondOfDay % 60 }
}
