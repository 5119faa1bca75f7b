import Glibc
import Records

/// How two numbers of different types stand to each other; NaN is unordered.
enum NumericOrder {
    case less, equal, greater, unordered

    init<Number: Comparable>(_ left: Number, _ right: Number) {
        self = left < right ? .less : left > right ? .greater : left == right ? .equal : .unordered
    }

    init(_ left: Int64, _ right: UInt64) {
        self = left < 0 ? .less : NumericOrder(UInt64(left), right)
    }

    /// As CEL's conformance tests have it: a double beyond the integer type is told by its sign, any other is compared
    /// with the integer rounded to a double.
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

extension Value {
    /// Equality as CEL defines it: numbers by value across types, NaN unequal to all, maps without regard to order.
    func isEqual(_ other: Value) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): return a == b
        case (.int(let a), .uint(let b)), (.uint(let b), .int(let a)): return NumericOrder(a, b) == .equal
        case (.int(let a), .double(let b)), (.double(let b), .int(let a)): return NumericOrder(a, b) == .equal
        case (.uint(let a), .double(let b)), (.double(let b), .uint(let a)):
            return NumericOrder(a, b) == .equal
        case (.list(let a), .list(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { $0.isEqual($1) }
        case (.map(let a), .map(let b)):
            return a.count == b.count
                && a.allSatisfy { entry in Value.lookUp(entry.key, in: b)?.isEqual(entry.value) ?? false }
        default: return self == other
        }
    }

    /// The value under a key, numbers compared across types.
    static func lookUp(_ key: Value, in entries: [MapEntry]) -> Value? {
        entries.first { $0.key.isEqual(key) }?.value
    }
}

/// Functions of runs of bytes.
enum OctetFunction {
    /// By the bytes' values, which for UTF-8 is the order of code points.
    static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> NumericOrder {
        let shared = min(left.count, right.count)
        // Safe because both have at least `shared` bytes.
        let difference = unsafe shared == 0 ? 0 : memcmp(left.baseAddress!, right.baseAddress!, shared)
        return difference == 0
            ? NumericOrder(left.count, right.count) : difference < 0 ? .less : .greater
    }

    static func isEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        // Safe because both have the same number of bytes when they are compared.
        unsafe left.count == right.count
            && (left.isEmpty || memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0)
    }

    static func starts(_ text: UnsafeRawBufferPointer, with prefix: UnsafeRawBufferPointer) -> Bool {
        // Safe because the part compared lies within the text.
        unsafe text.count >= prefix.count
            && isEqual(UnsafeRawBufferPointer(rebasing: text[0..<prefix.count]), prefix)
    }

    static func ends(_ text: UnsafeRawBufferPointer, with suffix: UnsafeRawBufferPointer) -> Bool {
        // Safe because the part compared lies within the text.
        unsafe text.count >= suffix.count
            && isEqual(UnsafeRawBufferPointer(rebasing: text[(text.count - suffix.count)...]), suffix)
    }

    static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
        guard unsafe !part.isEmpty else { return true }
        guard text.count >= part.count else { return false }
        // Knuth, Morris and Pratt 1977: linear in both, so that no text makes it slow.
        // Safe because `matched` is below the part's length wherever it is an index.
        return unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: part.count) { fallback in
            unsafe fallback.initialize(repeating: 0)
            var matched = 0
            for index in 1..<part.count {
                while matched > 0, unsafe part[index] != part[matched] {
                    matched = unsafe fallback[matched - 1]
                }
                if unsafe part[index] == part[matched] { matched += 1 }
                unsafe fallback[index] = matched
            }
            matched = 0
            for index in 0..<text.count {
                while matched > 0, unsafe text[index] != part[matched] {
                    matched = unsafe fallback[matched - 1]
                }
                if unsafe text[index] == part[matched] { matched += 1 }
                if matched == part.count { return true }
            }
            return false
        }
    }

    /// Code points in UTF-8: every byte that does not continue one begins one.
    static func countCodePoints(_ text: UnsafeRawBufferPointer) -> Int64 {
        unsafe Int64(text.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) })
    }
}
