import Records

extension Value {
    /// Equality as CEL defines it: numbers by value across types, NaN unequal to all, maps without regard to
    /// order; a pointer equals null when it is the null pointer.
    func isEqual(_ other: Value) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): return a == b
        case (.int(let a), .uint(let b)), (.uint(let b), .int(let a)): return NumericOrder(a, b) == .equal
        case (.int(let a), .double(let b)), (.double(let b), .int(let a)): return NumericOrder(a, b) == .equal
        case (.uint(let a), .double(let b)), (.double(let b), .uint(let a)):
            return NumericOrder(a, b) == .equal
        case (.pointer(let address), .null), (.null, .pointer(let address)): return address == 0
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
