/// The order of two numbers, which may have different types. NaN is unordered.
enum NumericOrder {
    case less, equal, greater, unordered

    init<Number: Comparable>(_ left: Number, _ right: Number) {
        self = left < right ? .less : left > right ? .greater : left == right ? .equal : .unordered
    }

    init(_ left: Int64, _ right: UInt64) {
        self = left < 0 ? .less : NumericOrder(UInt64(left), right)
    }

    /// Compares with the integer rounded to a double, as CEL's conformance tests require. The sign orders a
    /// double beyond the integer type.
    init(_ left: Int64, _ right: Double) {
        self = NumericOrder(Double(left), right)
    }

    /// Compares with the integer rounded to a double, as for `Int64`.
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

    /// True when the comparison holds for two numbers in this order.
    func satisfies(_ comparison: BinaryOperator) -> Bool {
        switch comparison {
        case .less: self == .less
        case .lessOrEqual: self == .less || self == .equal
        case .greater: self == .greater
        case .greaterOrEqual: self == .greater || self == .equal
        case .equal: self == .equal
        case .notEqual: self != .equal
        case .add, .subtract, .multiply, .divide, .modulo, .in: preconditionFailure("not a comparison")
        }
    }
}
