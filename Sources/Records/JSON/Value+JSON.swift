extension Value {
    /// Reads one JSON document: numbers without fraction and exponent stay whole (`int`, else `uint`; `-0` is a
    /// double), other numbers are doubles, objects keep the order of their keys.
    ///
    /// - Throws: `RecordError` with code `invalidJSON` for anything else, a whole number beyond 64 bits, a key that
    ///   stands twice in one object, or nesting deeper than 256.
    public init(json text: String) throws(RecordError) {
        var reader = JSONReader(Array(text.utf8))
        self = try reader.readDocument()
    }

    /// The same value read as `type`: what JSON has no form for is taken from its text (`json` is the way there).
    ///
    /// - Throws: `RecordError` when text is not what the type's JSON form wants. Other mismatches are left to the store.
    public func readingJSON(as type: ValueType) throws(RecordError) -> Value {
        switch (type, self) {
        case (.double, .string(let text)), (.float, .string(let text)):
            switch text {
            case "NaN": return .double(.nan)
            case "Infinity": return .double(.infinity)
            case "-Infinity": return .double(-.infinity)
            default: return self
            }
        case (.bytes, .string(let text)):
            guard let bytes = Base64.decode(text) else {
                throw RecordError(.invalidText, "`\(text)` is not base64")
            }
            return .bytes(bytes)
        case (.duration, .string(let text)):
            guard let nanoseconds = TimeText.nanoseconds(ofDuration: text) else {
                throw RecordError(.invalidText, "`\(text)` is not a duration such as `1.5s`")
            }
            return .duration(nanoseconds: nanoseconds)
        case (.timestamp, .string(let text)):
            guard let timestamp = TimeText.timestamp(ofRFC3339: text) else {
                throw RecordError(.invalidText, "`\(text)` is not a timestamp such as `2026-01-02T03:04:05Z`")
            }
            return .timestamp(timestamp)
        case (.pointer, .null): return .pointer(0)
        case (.list(let element), .list(let values)), (.array(let element, count: _), .list(let values)):
            var read: [Value] = []
            for (index, value) in values.enumerated() {
                do { read.append(try value.readingJSON(as: element)) } catch {
                    throw error.inside("[\(index)]")
                }
            }
            return .list(read)
        case (.record(let record), .map(let entries)):
            var read: [MapEntry] = []
            var current: RecordType.Case?
            if !record.cases.isEmpty, case .string(let name)? = self[RecordType.caseField] {
                current = record.caseIndex(of: name).map { record.cases[$0] }
            }
            for entry in entries {
                guard case .string(let name) = entry.key,
                    let field = record.field(name) ?? current?.field(name)
                else {
                    read.append(entry)
                    continue
                }
                do {
                    read.append(MapEntry(key: entry.key, value: try entry.value.readingJSON(as: field.type)))
                } catch { throw error.inside(name) }
            }
            return .map(read)
        case (.optional, .null): return self
        case (.optional(let wrapped), _): return try readingJSON(as: wrapped)
        default: return self
        }
    }
}

extension Record {
    /// A record of `type` from a JSON object with all of its fields and no other; optional fields may be left out.
    ///
    /// - Throws: `RecordError` for JSON that does not parse, or does not fit the type, with the path to the field.
    public init(_ type: RecordType, json text: String) throws(RecordError) {
        try self.init(type, jsonValue: Value(json: text))
    }

    /// The same from a value that was read from JSON.
    public init(_ type: RecordType, jsonValue: Value) throws(RecordError) {
        self.init(type)
        let value = try jsonValue.readingJSON(as: .record(type))
        // Safe because the base is an initialised record of the type.
        unsafe try ValueMemory.store(value, to: unsafeMutableBase(), as: .record(type))
    }
}
