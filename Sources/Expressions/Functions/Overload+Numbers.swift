import Diagnostics
import Records

extension Overload {
    /// The operators `+ - * / %` of numbers, and both forms of `-`. Integers fault when the result is beyond
    /// their type.
    static let arithmetic: [String: [Overload]] = {
        var table: [String: [Overload]] = [:]
        for operation in [BinaryOperator.add, .subtract, .multiply, .divide, .modulo] {
            table[operation.rawValue] = [
                Overload([.int, .int], .int) { arguments, range in
                    let function = IntegerArithmetic<Int64>(operation: operation, type: "int", range: range)
                    return .int(.combine(arguments[0].intOperand, arguments[1].intOperand, function))
                },
                Overload([.uint, .uint], .uint) { arguments, range in
                    let function = IntegerArithmetic<UInt64>(operation: operation, type: "uint", range: range)
                    return .uint(.combine(arguments[0].uintOperand, arguments[1].uintOperand, function))
                },
            ]
            guard operation != .modulo else { continue }
            table[operation.rawValue]?.append(
                Overload([.double, .double], .double) { arguments, _ in
                    let function = DoubleArithmetic(operation: operation)
                    return .double(.combine(arguments[0].doubleOperand, arguments[1].doubleOperand, function))
                })
        }
        table["-", default: []] += [
            Overload([.int], .int) { arguments, range in
                let function = IntegerArithmetic<Int64>(operation: .subtract, type: "int", range: range)
                return .int(.combine(.constant(0), arguments[0].intOperand, function))
            },
            Overload([.double], .double) { arguments, _ in .double(arguments[0].doubleOperand.map { -$0 }) },
        ]
        return table
    }()
}

/// Arithmetic of one integer type.
struct IntegerArithmetic<Number: FixedWidthInteger & Scalar>: BinaryFunction {
    typealias Left = Number
    typealias Right = Number
    typealias Output = Number

    let operation: BinaryOperator
    let type: String
    let range: Range<Int>

    func compile(_ left: some Source<Number>, _ right: some Source<Number>) -> Number.Computation {
        switch operation {
        case .add: checked(Sum.self, left, right)
        case .subtract: checked(Difference.self, left, right)
        case .multiply: checked(Product.self, left, right)
        case .divide: divided(Quotient.self, left, right)
        case .modulo: divided(Remainder.self, left, right)
        default: preconditionFailure("`\(operation.rawValue)` is not arithmetic")
        }
    }

    private func checked<Step: IntegerStep>(
        _: Step.Type, _ left: some Source<Number>, _ right: some Source<Number>
    ) -> Number.Computation {
        Number.Computation(CheckedSource<Step, _, _>(left: left, right: right, site: ArithmeticSite(self)))
    }

    private func divided<Step: IntegerStep>(
        _: Step.Type, _ left: some Source<Number>, _ right: some Source<Number>
    ) -> Number.Computation {
        Number.Computation(DividedSource<Step, _, _>(left: left, right: right, site: ArithmeticSite(self)))
    }
}

/// The operation, the type and the range of arithmetic, for its faults.
/// It is an object, so that it costs closures that run often only one word.
private final class ArithmeticSite: Sendable {
    private let operation: BinaryOperator
    private let type: String
    private let range: Range<Int>

    init<Number>(_ arithmetic: IntegerArithmetic<Number>) {
        (operation, type, range) = (arithmetic.operation, arithmetic.type, arithmetic.range)
    }

    /// It throws and is not inlined, so that the closures that call it stay small.
    @inline(never)
    func overflow<Number: BinaryInteger>(_ a: Number, _ b: Number) throws(EvaluationFault) -> Number {
        throw EvaluationFault(.overflow, "`\(a) \(operation.rawValue) \(b)` overflows \(type)", at: range)
    }

    @inline(never)
    func divisionByZero<Number: BinaryInteger>(_ a: Number) throws(EvaluationFault) -> Number {
        throw EvaluationFault(.divisionByZero, "`\(a) \(operation.rawValue) 0` divides by zero", at: range)
    }
}

/// One operation on two integers. It reports when the result is beyond the type.
private protocol IntegerStep {
    static func apply<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> (
        partialValue: Number, overflow: Bool
    )
}

private enum Sum: IntegerStep {
    @inline(__always)
    static func apply<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> (
        partialValue: Number, overflow: Bool
    ) {
        a.addingReportingOverflow(b)
    }
}

private enum Difference: IntegerStep {
    @inline(__always)
    static func apply<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> (
        partialValue: Number, overflow: Bool
    ) {
        a.subtractingReportingOverflow(b)
    }
}

private enum Product: IntegerStep {
    @inline(__always)
    static func apply<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> (
        partialValue: Number, overflow: Bool
    ) {
        a.multipliedReportingOverflow(by: b)
    }
}

private enum Quotient: IntegerStep {
    @inline(__always)
    static func apply<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> (
        partialValue: Number, overflow: Bool
    ) {
        a.dividedReportingOverflow(by: b)
    }
}

private enum Remainder: IntegerStep {
    @inline(__always)
    static func apply<Number: FixedWidthInteger>(_ a: Number, _ b: Number) -> (
        partialValue: Number, overflow: Bool
    ) {
        a.remainderReportingOverflow(dividingBy: b)
    }
}

/// Arithmetic that faults on overflow.
private struct CheckedSource<Step: IntegerStep, Left: Source, Right: Source<Left.Output>>: Source
where Left.Output: FixedWidthInteger {
    let left: Left
    let right: Right
    let site: ArithmeticSite

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Left.Output {
        let (a, b) = (try left(frame), try right(frame))
        let (result, overflow) = Step.apply(a, b)
        return overflow ? try site.overflow(a, b) : result
    }
}

/// Arithmetic that faults on overflow and on a zero divisor.
private struct DividedSource<Step: IntegerStep, Left: Source, Right: Source<Left.Output>>: Source
where Left.Output: FixedWidthInteger {
    let left: Left
    let right: Right
    let site: ArithmeticSite

    @inline(__always)
    func callAsFunction(_ frame: Frame) throws(EvaluationFault) -> Left.Output {
        let (a, b) = (try left(frame), try right(frame))
        if b == 0 { return try site.divisionByZero(a) }
        let (result, overflow) = Step.apply(a, b)
        return overflow ? try site.overflow(a, b) : result
    }
}

/// Arithmetic of doubles according to IEEE 754. It never faults.
struct DoubleArithmetic: BinaryFunction {
    typealias Left = Double
    typealias Right = Double
    typealias Output = Double

    let operation: BinaryOperator

    func compile(_ left: some Source<Double>, _ right: some Source<Double>) -> DoubleComputation {
        switch operation {
        case .add: DoubleComputation { frame throws(EvaluationFault) in try left(frame) + right(frame) }
        case .subtract: DoubleComputation { frame throws(EvaluationFault) in try left(frame) - right(frame) }
        case .multiply: DoubleComputation { frame throws(EvaluationFault) in try left(frame) * right(frame) }
        case .divide: DoubleComputation { frame throws(EvaluationFault) in try left(frame) / right(frame) }
        default: preconditionFailure("`\(operation.rawValue)` is not arithmetic of doubles")
        }
    }
}

extension Overload {
    /// The math extension's functions on bits.
    static let bits: [String: [Overload]] = [
        "math.bitAnd": pair(.and),
        "math.bitOr": pair(.or),
        "math.bitXor": pair(.xor),
        "math.bitNot": [
            Overload([.int], .int) { arguments, _ in .int(arguments[0].intOperand.map { ~$0 }) },
            Overload([.uint], .uint) { arguments, _ in .uint(arguments[0].uintOperand.map { ~$0 }) },
        ],
        "math.bitShiftLeft": shifts { $0 << $1 },
        // The free bits are zero, also for a negative int.
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

    /// A shift by 64 or more gives 0. A negative shift faults.
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
