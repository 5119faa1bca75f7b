public import Records

/// Values with their CEL types in JSON: `{"type": T, "value": V}`.
///
/// The JSON form of the value depends on its type:
///
/// - `int`, `uint`, `duration` and `timestamp`: a decimal string; the last two count nanoseconds
/// - `double`: a number, or `"NaN"`, `"Infinity"` or `"-Infinity"`
/// - `bytes`: an array of numbers
/// - `type`: the name of the type
/// - `list`: an array of such objects
/// - `map`: an array of pairs of such objects
/// - `optional`: such an object, or null without a value
/// - `net.IP` and `net.CIDR`: the text
public enum TypedValue {
    /// The typed form of a value.
    public static func json(of value: Value) -> Value {
        let content: Value =
            switch value {
            case .null, .bool, .string, .double: value
            case .int(let number): .string(String(number))
            case .uint(let number): .string(String(number))
            case .bytes(let bytes): .list(bytes.map { .int(Int64($0)) })
            case .duration(let nanoseconds): .string(String(nanoseconds))
            case .timestamp(let timestamp): .string(nanoseconds(of: timestamp))
            case .list(let values): .list(values.map(json))
            case .map(let entries): .list(entries.map { .list([json(of: $0.key), json(of: $0.value)]) })
            case .pointer: .null
            case .type(let name): .string(name)
            case .optional(let content): content.map(json) ?? .null
            case .network(let address): .string(address.description)
            }
        return .record([("type", .string(value.kind)), ("value", content)])
    }

    /// The value of a typed form.
    ///
    /// - Throws: `RecordError` for anything that `json` does not write.
    public static func value(of json: Value) throws(RecordError) -> Value {
        guard case .string(let type)? = json["type"], let content = json["value"] else {
            throw RecordError(.wrongType, "expected `{\"type\": …, \"value\": …}`")
        }
        let value = try read(content, as: type)
        guard let value else { throw RecordError(.wrongType, "`\(content.json)` is not a typed `\(type)`") }
        return value
    }

    private static func read(_ content: Value, as type: String) throws(RecordError) -> Value? {
        switch (type, content) {
        case ("null", .null), ("bool", .bool), ("string", .string), ("double", .double): return content
        case ("type", .string(let name)): return .type(name)
        case ("optional", .null): return .optional(nil)
        case ("optional", .map): return .optional(try value(of: content))
        case ("net.IP", .string(let text)): return (try? AddressReader.address(text)).map(Value.network)
        case ("net.CIDR", .string(let text)): return (try? AddressReader.range(text)).map(Value.network)
        case ("double", .int(let number)): return .double(Double(number))
        case ("double", .string): return try content.readingJSON(as: .double)
        case ("int", .string(let digits)): return Int64(digits).map(Value.int)
        case ("uint", .string(let digits)): return UInt64(digits).map(Value.uint)
        case ("duration", .string(let digits)): return Int64(digits).map { .duration(nanoseconds: $0) }
        case ("timestamp", .string(let digits)):
            return Int128(digits).flatMap(timestamp)
        case ("bytes", .list(let numbers)):
            var bytes: [UInt8] = []
            for number in numbers {
                guard case .int(let number) = number, let byte = UInt8(exactly: number) else { return nil }
                bytes.append(byte)
            }
            return .bytes(bytes)
        case ("list", .list(let values)):
            var items: [Value] = []
            for value in values { items.append(try self.value(of: value)) }
            return .list(items)
        case ("map", .list(let pairs)):
            var entries: [Value.MapEntry] = []
            for pair in pairs {
                guard case .list(let pair) = pair, pair.count == 2 else { return nil }
                entries.append(Value.MapEntry(key: try value(of: pair[0]), value: try value(of: pair[1])))
            }
            return .map(entries)
        default: return nil
        }
    }

    private static func timestamp(ofNanoseconds nanoseconds: Int128) -> Value? {
        var (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000_000) }
        guard let whole = Int64(exactly: seconds), Overload.calendar.contains(whole) else { return nil }
        return .timestamp(Timestamp(seconds: whole, nanoseconds: Int32(rest)))
    }

    /// The nanoseconds may be beyond `int64_t`, in timestamps that cannot be stored.
    private static func nanoseconds(of timestamp: Timestamp) -> String {
        let (seconds, rest) = (Int128(timestamp.seconds), Int128(timestamp.nanoseconds))
        return String(seconds * 1_000_000_000 + rest)
    }
}

extension Value {
    /// Equality as CEL defines it. Numbers are compared by value across types, and NaN is not equal to any
    /// value. The order of a map does not count. A pointer equals null when it is the null pointer.
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
        case (.optional(let a?), .optional(let b?)): return a.isEqual(b)
        default: return self == other
        }
    }

    /// The value under a key. Numbers are compared by value across types.
    static func lookUp(_ key: Value, in entries: [MapEntry]) -> Value? {
        entries.first { $0.key.isEqual(key) }?.value
    }
}
