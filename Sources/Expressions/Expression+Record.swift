public import Records

extension Expression {
    /// The value over one record, which is slot 0 of the scope.
    ///
    /// - Precondition: the expression reads no other slot, and its scope's offsets are those of the record's fields.
    /// - Throws: `EvaluationFault` when it has no value for this record.
    public func evaluate(over record: Record) throws(EvaluationFault) -> Value {
        // Safe because the record outlives the evaluation.
        try withExtendedLifetime(record) { () throws(EvaluationFault) in
            var base: UnsafeRawPointer? = unsafe record.unsafeBase
            return unsafe try withUnsafePointer(to: &base) { slots throws(EvaluationFault) in
                unsafe try evaluate(Frame(slots))
            }
        }
    }
}
