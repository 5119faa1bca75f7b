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
                                .doesNotFit, "`\(seconds)` seconds lie outside the years 1 to 9999", at: range
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
                                .doesNotFit, "`\(text)` lies outside the years 1 to 9999", at: range)
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

    /// Seconds since the Unix epoch of the years 1 to 9999, which CEL's timestamps are limited to.
    static let calendar: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    private static func shift(
        _ timestamp: Operand<Timestamp>, _ duration: Operand<Int64>, _ operation: BinaryOperator,
        at range: Range<Int>
    ) -> Operand<Timestamp> {
        let (timestamp, duration) = (timestamp.computation, duration.computation)
        return .computing { frame throws(EvaluationFault) in
            let (instant, distance) = (try timestamp(frame), try duration(frame))
            // Split, so that neither the least duration nor a far timestamp overflows.
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
                throw EvaluationFault(.overflow, "`\(text)` lies outside the years 1 to 9999", at: range)
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
