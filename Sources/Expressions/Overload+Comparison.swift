import Records

extension Overload {
    /// `< <= > >=` of all ordered types, numbers across types, and `!`.
    static let comparisons: [String: [Overload]] = {
        var table: [String: [Overload]] = [
            "!": [Overload([.bool], .bool) { arguments, _ in .bool(arguments[0].boolOperand.inverted) }]
        ]
        for operation in [BinaryOperator.less, .lessOrEqual, .greater, .greaterOrEqual] {
            let same: [ExpressionType] = [.bool, .string, .bytes, .duration, .timestamp]
            let numbers: [ExpressionType] = [.int, .uint, .double]
            let pairs = same.map { ($0, $0) } + numbers.flatMap { left in numbers.map { (left, $0) } }
            table[operation.rawValue] = pairs.map { left, right in
                Overload([left, right], .bool) { arguments, range in
                    guard
                        let comparison = Code.comparison(operation, arguments[0], arguments[1], at: range)
                    else { preconditionFailure("\(left.name) is ordered") }
                    return .bool(comparison)
                }
            }
        }
        return table
    }()
}

extension Code {
    /// Compares two operands of the same scalar type, or two numbers; nil for other types.
    static func comparison(
        _ operation: BinaryOperator, _ left: Code, _ right: Code, at range: Range<Int>
    ) -> Operand<Bool>? {
        switch (left, right) {
        case (.int(let a), .int(let b)), (.duration(let a), .duration(let b)):
            .combine(a, b, Comparison<Int64>(operation: operation))
        case (.uint(let a), .uint(let b)): .combine(a, b, Comparison<UInt64>(operation: operation))
        case (.double(let a), .double(let b)): .combine(a, b, Comparison<Double>(operation: operation))
        case (.timestamp(let a), .timestamp(let b)):
            .combine(a, b, Comparison<Timestamp>(operation: operation))
        case (.bool(let a), .bool(let b)):
            .combine(
                a.map { $0 ? Int64(1) : 0 }, b.map { $0 ? Int64(1) : 0 },
                Comparison<Int64>(operation: operation))
        case (.int(let a), .uint(let b)): .mixed(operation, a, b) { NumericOrder($0, $1) }
        case (.uint(let a), .int(let b)): .mixed(operation, a, b) { NumericOrder($1, $0).reversed }
        case (.int(let a), .double(let b)): .mixed(operation, a, b) { NumericOrder($0, $1) }
        case (.double(let a), .int(let b)): .mixed(operation, a, b) { NumericOrder($1, $0).reversed }
        case (.uint(let a), .double(let b)): .mixed(operation, a, b) { NumericOrder($0, $1) }
        case (.double(let a), .uint(let b)): .mixed(operation, a, b) { NumericOrder($1, $0).reversed }
        case (.string, .string), (.string, .member), (.member, .string), (.member, .member):
            octets(operation, left.text(at: range), right.text(at: range))
        case (.bytes(let a), .bytes(let b)): octets(operation, a, b)
        default: nil
        }
    }

    private static func octets<Content>(
        _ operation: BinaryOperator, _ left: Octets<Content>, _ right: Octets<Content>
    ) -> Operand<Bool> {
        // Safe because the functions read within the bytes they are given.
        switch operation {
        case .equal: unsafe Octets.compare(left, right) { a, b in unsafe OctetFunction.isEqual(a, b) }
        case .notEqual: unsafe Octets.compare(left, right) { a, b in unsafe !OctetFunction.isEqual(a, b) }
        default:
            unsafe Octets.compare(left, right) { a, b in
                unsafe OctetFunction.order(a, b).satisfies(operation)
            }
        }
    }
}

extension Operand<Bool> {
    /// True where this is false.
    var inverted: Operand<Bool> {
        if case .field(let address) = self {
            return .computing { frame in unsafe !Bool.read(address.pointer(in: frame)) }
        }
        let computation = computation
        return .computing { frame throws(EvaluationFault) in try !computation(frame) }
    }

    fileprivate static func mixed<Left, Right>(
        _ operation: BinaryOperator, _ left: Operand<Left>, _ right: Operand<Right>,
        _ order: @escaping @Sendable (Left, Right) -> NumericOrder
    ) -> Operand<Bool> {
        let (left, right) = (left.computation, right.computation)
        return .computing { frame throws(EvaluationFault) in
            order(try left(frame), try right(frame)).satisfies(operation)
        }
    }
}

/// Comparison of two values of one type.
struct Comparison<Ordered: Comparable & Scalar>: BinaryFunction {
    typealias Left = Ordered
    typealias Right = Ordered
    typealias Output = Bool

    let operation: BinaryOperator

    func compile(_ left: some Source<Ordered>, _ right: some Source<Ordered>) -> BoolComputation {
        switch operation {
        case .less: BoolComputation { frame throws(EvaluationFault) in try left(frame) < right(frame) }
        case .lessOrEqual:
            BoolComputation { frame throws(EvaluationFault) in try left(frame) <= right(frame) }
        case .greater: BoolComputation { frame throws(EvaluationFault) in try left(frame) > right(frame) }
        case .greaterOrEqual:
            BoolComputation { frame throws(EvaluationFault) in try left(frame) >= right(frame) }
        case .equal: BoolComputation { frame throws(EvaluationFault) in try left(frame) == right(frame) }
        case .notEqual: BoolComputation { frame throws(EvaluationFault) in try left(frame) != right(frame) }
        default: preconditionFailure("`\(operation.rawValue)` does not compare")
        }
    }
}
