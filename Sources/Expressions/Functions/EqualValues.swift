import Records

/// Values of which no two are equal, as CEL defines it (`Value.isEqual`).
struct EqualValues {
    private var buckets: [Value: [Value]] = [:]

    init() {}

    init(_ values: [Value]) { for value in values { insert(value) } }

    /// Adds a value. Returns false if an equal one is there.
    @discardableResult
    mutating func insert(_ value: Value) -> Bool {
        guard !contains(value) else { return false }
        buckets[Self.key(of: value), default: []].append(value)
        return true
    }

    func contains(_ value: Value) -> Bool {
        buckets[Self.key(of: value)]?.contains { $0.isEqual(value) } ?? false
    }

    func contains(all other: EqualValues) -> Bool {
        other.buckets.values.allSatisfy { $0.allSatisfy(contains) }
    }

    func contains(anyOf other: EqualValues) -> Bool {
        other.buckets.values.contains { $0.contains(where: contains) }
    }

    /// Equal values have equal keys, and few others have the same one.
    private static func key(of value: Value) -> Value {
        switch value {
        case .int(let number): .double(Double(number))
        case .uint(let number): .double(Double(number))
        case .list(let values): .list(values.map(key))
        // The order of entries does not count.
        case .map(let entries): .int(Int64(entries.count))
        case .optional(let content): .optional(content.map(key))
        case .pointer(let address) where address == 0: .null
        default: value
        }
    }
}
