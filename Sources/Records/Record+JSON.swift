extension Record {
    /// A record of `type` from a JSON object with all of its fields and no other; optional fields may be left out.
    ///
    /// - Throws: `RecordError` for JSON that does not parse, or does not fit the type, with the path to the field.
    public init(_ type: RecordType, json text: String) throws(RecordError) {
        self.init(type)
        let value = try Value(json: text).readingJSON(as: .record(type))
        // Safe because the base is an initialised record of the type.
        unsafe try ValueMemory.store(value, to: unsafeMutableBase(), as: .record(type))
    }
}
