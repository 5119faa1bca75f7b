import Records

extension Overload {
    /// The operators `< <= > >=` of all ordered types, numbers across types, and `!`.
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
    /// The logical negation.
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

extension Overload {
    /// `size`, `in` and concatenation of lists.
    static let collections: [String: [Overload]] = [
        "size": sizes,
        ".size": sizes,
        "+": [
            Overload([.list(.dynamic), .list(.dynamic)], resultOf: { $0[0].joined(with: $0[1]) }) {
                arguments, range in
                let (left, right) = (
                    arguments[0].boxed(at: range).computation, arguments[1].boxed(at: range).computation
                )
                return .boxed(
                    .computing { frame throws(EvaluationFault) in
                        .list(try elements(left(frame)) + elements(right(frame)))
                    })
            }
        ],
        "in": [
            Overload([.dynamic, .list(.dynamic)], .bool) { arguments, range in
                .bool(membership(of: arguments[0], in: arguments[1], at: range))
            },
            Overload([.dynamic, .map(key: .dynamic, value: .dynamic)], .bool) { arguments, range in
                let (key, map) = (
                    arguments[0].boxed(at: range).computation, arguments[1].boxed(at: range).computation
                )
                return .bool(
                    .computing { frame throws(EvaluationFault) in
                        Value.lookUp(try key(frame), in: entries(try map(frame))) != nil
                    })
            },
        ],
    ]

    private static let sizes: [Overload] = [
        Overload([.string], .int) { arguments, range in
            // Safe because the function reads within the bytes it is given.
            unsafe .int(
                arguments[0].text(at: range).map { text in unsafe OctetFunction.countCodePoints(text) })
        },
        Overload([.bytes], .int) { arguments, _ in
            unsafe .int(arguments[0].bytesOperand.map { bytes in Int64(bytes.count) })
        },
        Overload([.list(.dynamic)], .int) { arguments, range in
            switch arguments[0] {
            case .memory(_, .array(_, let count)): return .int(.constant(Int64(count)))
            // Safe because a list is a pointer, followed by the count.
            case .memory(let location, .list): return .int(location.advanced(by: 8).operand(Int64.self))
            default: return .int(arguments[0].boxed(at: range).map { Int64(elements($0).count) })
            }
        },
        Overload([.map(key: .dynamic, value: .dynamic)], .int) { arguments, range in
            .int(arguments[0].boxed(at: range).map { Int64(entries($0).count) })
        },
    ]

    /// The operator `in` for a list. It compares without boxing when the list is constant, which is the usual
    /// case.
    private static func membership(of element: Code, in list: Code, at range: Range<Int>) -> Operand<Bool> {
        if case .list(let values)? = list.constant {
            switch element {
            case .int(let operand):
                let numbers = values.compactMap { if case .int(let number) = $0 { number } else { nil } }
                if numbers.count == values.count { return operand.map { numbers.contains($0) } }
            case .string, .member:
                let texts = values.compactMap {
                    if case .string(let text) = $0 { OctetBlock(text) } else { nil }
                }
                if texts.count == values.count {
                    // Safe because the blocks live as long as the closure.
                    return unsafe element.text(at: range).map { text in
                        texts.contains { unsafe OctetFunction.isEqual($0.bytes, text) }
                    }
                }
            default: break
            }
        }
        let (element, list) = (element.boxed(at: range).computation, list.boxed(at: range).computation)
        return .computing { frame throws(EvaluationFault) in
            let wanted = try element(frame)
            return elements(try list(frame)).contains { wanted.isEqual($0) }
        }
    }

    static func elements(_ value: Value) -> [Value] {
        guard case .list(let elements) = value else {
            preconditionFailure("the checker lets only lists through")
        }
        return elements
    }

    private static func entries(_ value: Value) -> [Value.MapEntry] {
        guard case .map(let entries) = value else {
            preconditionFailure("the checker lets only maps through")
        }
        return entries
    }
}
