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
