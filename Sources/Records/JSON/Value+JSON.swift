extension Value {
    /// Reads one JSON document. Objects keep the order of their keys.
    ///
    /// A number without fraction and exponent becomes `int`, or `uint` when it does not fit. `-0` and all
    /// other numbers become `double`.
    ///
    /// - Throws: `RecordError` with code `invalidJSON` for text that is not JSON, and for a number beyond 64
    ///   bits or a double. It also throws for a key that appears twice in one object, and for nesting deeper
    ///   than 256.
    public init(json text: String) throws(RecordError) {
        var reader = JSONReader(Array(text.utf8))
        self = try reader.readDocument()
    }

    /// Converts a value that was read from JSON to `type`.
    /// Some values have no JSON form; they are read from text, as `json` writes them.
    ///
    /// - Throws: `RecordError` when text does not have the type's JSON form. `ValueMemory.store` reports
    ///   other mismatches.
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
    /// Makes a record of `type` from a JSON object. The object must have all fields that are not optional,
    /// and no others.
    ///
    /// - Throws: `RecordError` for JSON that does not parse or does not fit the type. The error has the path
    ///   to the field.
    public init(_ type: RecordType, json text: String) throws(RecordError) {
        try self.init(type, jsonValue: Value(json: text))
    }

    /// Makes a record of `type` from a value that was read from JSON.
    public init(_ type: RecordType, jsonValue: Value) throws(RecordError) {
        self.init(type)
        let value = try jsonValue.readingJSON(as: .record(type))
        // Safe because the base is an initialised record of the type.
        unsafe try ValueMemory.store(value, to: unsafeMutableBase(), as: .record(type))
    }
}
