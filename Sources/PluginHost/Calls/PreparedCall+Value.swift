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

    /// The outcome of the last call, boxed: `result`, `errno`, `out`.
    public var outcomeValue: Value {
        // Safe because the outcome is an initialised record of that type.
        unsafe ValueMemory.load(outcomeAddress, as: .record(interface.signature.outcome))
    }
}
