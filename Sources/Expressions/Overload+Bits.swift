import Diagnostics
import Records

extension Overload {
    /// The math extension's functions of bits.
    static let bits: [String: [Overload]] = [
        "math.bitAnd": pair(.and),
        "math.bitOr": pair(.or),
        "math.bitXor": pair(.xor),
        "math.bitNot": [
            Overload([.int], .int) { arguments, _ in .int(arguments[0].intOperand.map { ~$0 }) },
            Overload([.uint], .uint) { arguments, _ in .uint(arguments[0].uintOperand.map { ~$0 }) },
        ],
        "math.bitShiftLeft": shifts { $0 << $1 },
        // Fills with zeros, also an int that is negative.
        "math.bitShiftRight": shifts { $0 >> $1 },
    ]

    private static func pair(_ operation: BitOperation) -> [Overload] {
        [
            Overload([.int, .int], .int) { arguments, _ in
                .int(
                    .combine(
                        arguments[0].intOperand, arguments[1].intOperand,
                        BitFunction<Int64>(operation: operation)))
            },
            Overload([.uint, .uint], .uint) { arguments, _ in
                .uint(
                    .combine(
                        arguments[0].uintOperand, arguments[1].uintOperand,
                        BitFunction<UInt64>(operation: operation)))
            },
        ]
    }

    /// By 64 and more, nothing is left.
    private static func shifts(_ shift: @escaping @Sendable (UInt64, Int64) -> UInt64) -> [Overload] {
        @Sendable func shifted(
            _ bits: UInt64, _ distance: Int64, _ range: Range<Int>
        ) throws(EvaluationFault) -> UInt64 {
            guard distance >= 0 else {
                throw EvaluationFault(.doesNotFit, "a shift by `\(distance)` bits is negative", at: range)
            }
            return shift(bits, distance)
        }
        return [
            Overload([.int, .int], .int) { arguments, range in
                let (value, distance) = (
                    arguments[0].intOperand.computation, arguments[1].intOperand.computation
                )
                return .int(
                    .computing { frame throws(EvaluationFault) in
                        let bits = UInt64(bitPattern: try value(frame))
                        return Int64(bitPattern: try shifted(bits, try distance(frame), range))
                    })
            },
            Overload([.uint, .int], .uint) { arguments, range in
                let (value, distance) = (
                    arguments[0].uintOperand.computation, arguments[1].intOperand.computation
                )
                return .uint(
                    .computing { frame throws(EvaluationFault) in
                        try shifted(try value(frame), try distance(frame), range)
                    })
            },
        ]
    }
}

private enum BitOperation: Sendable {
    case and, or, xor
}

/// An operation on the bits of two integers of a type.
private struct BitFunction<Number: FixedWidthInteger & Scalar>: BinaryFunction {
    typealias Left = Number
    typealias Right = Number
    typealias Output = Number

    let operation: BitOperation

    func compile(_ left: some Source<Number>, _ right: some Source<Number>) -> Number.Computation {
        Number.Computation(BitSource(left: left, right: right, operation: operation))
    }
}

private struct BitSource<Left: Source, Right: Source<Left.Output>>: Source
where Left.Output: FixedWidthInteger {
    let left: Left
    let right: Right
    let operation: BitOperation

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Left.Output {
        let (a, b) = (try left(frame), try right(frame))
        return switch operation {
        case .and: a & b
        case .or: a | b
        case .xor: a ^ b
        }
    }
}
