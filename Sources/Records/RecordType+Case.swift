extension RecordType {
    /// One case of a record with cases.
    public struct Case: Hashable, Sendable {
        /// Its name, unique in the record.
        public let name: String
        /// The fields that only this case has, in declaration order; offsets count from the start of the record.
        public let fields: [Field]

        let ownedFields: [Field]

        init(name: String, fields: [Field]) {
            precondition(
                Set(fields.map(\.name)).count == fields.count, "the fields of a case are called differently")
            (self.name, self.fields) = (name, fields)
            ownedFields = fields.filter { !$0.type.isTrivial }
        }

        /// The field of that name, if the case has one.
        public func field(_ name: String) -> Field? { fields.first { $0.name == name } }
    }
}
