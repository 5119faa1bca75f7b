extension Record {
    /// The case that the record is in, as an index into the cases of its type; nil for a record without cases, and when
    /// foreign code wrote a tag that names none.
    @inlinable public var caseIndex: Int? { unsafe ValueMemory.caseIndex(unsafeBase, of: type) }

    /// Puts the record into a case, with the fields of that case at their zero values; shared fields are kept.
    ///
    /// - Precondition: the type has such a case.
    public mutating func changeCase(to index: Int) {
        // Safe because the base is an initialised record of the type.
        unsafe ValueMemory.changeCase(unsafeMutableBase(), to: index, of: type)
    }

    /// The field of that name which the record has now: one of its type, or of the case that it is in.
    public func field(_ name: String) -> RecordType.Field? {
        type.field(name) ?? caseIndex.flatMap { type.cases[$0].field(name) }
    }
}
