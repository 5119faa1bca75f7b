import Interfaces
public import Records

extension PreparedCall {
    /// Stores a boxed value as input `field` of `signature.inputs`, converting as `ValueMemory.store` does.
    ///
    /// - Throws: `RecordError` when it does not convert or fit.
    public func setInput(_ field: Int, to value: Value) throws(RecordError) {
        // Safe because the address is an initialised value of the field's type.
        unsafe try ValueMemory.store(
            value, to: inputAddress(field), as: interface.signature.inputs.fields[field].type)
    }

    /// A copy of all inputs, a record of `signature.inputs`.
    public var inputRecord: Record {
        var record = Record(interface.signature.inputs)
        // Safe because both are initialised values of the same record type.
        unsafe ValueMemory.assign(record.unsafeMutableBase(), from: inputs, as: .record(record.type))
        return record
    }

    /// Sets all inputs.
    ///
    /// - Precondition: the record is of type `signature.inputs`.
    public func setInputs(to record: Record) {
        let type = interface.signature.inputs
        precondition(record.type.size == type.size, "the record is one of the inputs")
        // Safe because both are initialised values of the same record type.
        unsafe ValueMemory.assign(inputs, from: record.unsafeBase, as: .record(type))
    }

    /// Copies all inputs of another call with the same signature.
    public func setInputs(of other: PreparedCall) {
        let type = interface.signature.inputs
        precondition(other.interface.signature.inputs.size == type.size, "the calls have the same signature")
        // Safe because both are initialised values of the same record type.
        unsafe ValueMemory.assign(inputs, from: UnsafeRawPointer(other.inputs), as: .record(type))
    }

    /// The outcome of the last call, boxed: `result`, `errno`, `out`.
    public var outcomeValue: Value {
        // Safe because the outcome is an initialised record of that type.
        unsafe ValueMemory.load(outcomeAddress, as: .record(interface.signature.outcome))
    }
}
