import Diagnostics
import Records

extension Overload {
    /// `+ - * / %` of numbers, and both forms of `-`; integers fault where the result is beyond their type.
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
struct IntegerArithmetic<Number: FixedWidthInteger & FieldScalar>: BinaryFunction, Sendable {
    typealias Left = Number
    typealias Right = Number
    typealias Output = Number

    let operation: BinaryOperator
    let type: String
    let range: Range<Int>

    func compile(_ left: some Source<Number>, _ right: some Source<Number>) -> Compute<Number> {
        switch operation {
        case .add: return checked(left, right) { $0.addingReportingOverflow($1) }
        case .subtract: return checked(left, right) { $0.subtractingReportingOverflow($1) }
        case .multiply: return checked(left, right) { $0.multipliedReportingOverflow(by: $1) }
        case .divide: return divided(left, right) { $0.dividedReportingOverflow(by: $1) }
        case .modulo: return divided(left, right) { $0.remainderReportingOverflow(dividingBy: $1) }
        default: preconditionFailure("`\(operation.rawValue)` is not arithmetic")
        }
    }

    @inline(__always)
    private func checked(
        _ left: some Source<Number>, _ right: some Source<Number>,
        _ calculate: @escaping @Sendable (Number, Number) -> (partialValue: Number, overflow: Bool)
    ) -> Compute<Number> {
        { frame throws(EvaluationFault) in
            let (a, b) = (try left.read(frame), try right.read(frame))
            let (result, overflow) = calculate(a, b)
            if overflow { throw overflowFault(a, b) }
            return result
        }
    }

    @inline(__always)
    private func divided(
        _ left: some Source<Number>, _ right: some Source<Number>,
        _ calculate: @escaping @Sendable (Number, Number) -> (partialValue: Number, overflow: Bool)
    ) -> Compute<Number> {
        { frame throws(EvaluationFault) in
            let (a, b) = (try left.read(frame), try right.read(frame))
            if b == 0 { throw zeroFault(a) }
            let (result, overflow) = calculate(a, b)
            if overflow { throw overflowFault(a, b) }
            return result
        }
    }

    @inline(never)
    private func overflowFault(_ a: Number, _ b: Number) -> EvaluationFault {
        EvaluationFault(.overflow, "`\(a) \(operation.rawValue) \(b)` overflows \(type)", at: range)
    }

    @inline(never)
    private func zeroFault(_ a: Number) -> EvaluationFault {
        EvaluationFault(.divisionByZero, "`\(a) \(operation.rawValue) 0` divides by zero", at: range)
    }
}

/// Arithmetic of doubles, as IEEE 754 has it: nothing faults.
struct DoubleArithmetic: BinaryFunction {
    typealias Left = Double
    typealias Right = Double
    typealias Output = Double

    let operation: BinaryOperator

    func compile(_ left: some Source<Double>, _ right: some Source<Double>) -> Compute<Double> {
        switch operation {
        case .add: return { frame throws(EvaluationFault) in try left.read(frame) + right.read(frame) }
        case .subtract: return { frame throws(EvaluationFault) in try left.read(frame) - right.read(frame) }
        case .multiply: return { frame throws(EvaluationFault) in try left.read(frame) * right.read(frame) }
        case .divide: return { frame throws(EvaluationFault) in try left.read(frame) / right.read(frame) }
        default: preconditionFailure("`\(operation.rawValue)` is not arithmetic of doubles")
        }
    }
}
