/// How two numbers of different types stand to each other; NaN is unordered.
enum NumericOrder {
    case less, equal, greater, unordered

    init<Number: Comparable>(_ left: Number, _ right: Number) {
        self = left < right ? .less : left > right ? .greater : left == right ? .equal : .unordered
    }

    init(_ left: Int64, _ right: UInt64) {
        self = left < 0 ? .less : NumericOrder(UInt64(left), right)
    }

    /// As CEL's conformance tests have it: a double beyond the integer type is told by its sign, any other is
    /// compared with the integer rounded to a double.
    init(_ left: Int64, _ right: Double) {
        self = NumericOrder(Double(left), right)
    }

    /// As for `Int64`.
    init(_ left: UInt64, _ right: Double) {
        self = NumericOrder(Double(left), right)
    }

    var reversed: NumericOrder {
        switch self {
        case .less: .greater
        case .greater: .less
        case .equal, .unordered: self
        }
    }

    /// Whether two numbers in this order compare so.
    func satisfies(_ comparison: BinaryOperator) -> Bool {
        switch comparison {
        case .less: self == .less
        case .lessOrEqual: self == .less || self == .equal
        case .greater: self == .greater
        case .greaterOrEqual: self == .greater || self == .equal
        case .equal: self == .equal
        case .notEqual: self != .equal
        case .add, .subtract, .multiply, .divide, .modulo, .in: preconditionFailure("no comparison")
        }
    }
}
