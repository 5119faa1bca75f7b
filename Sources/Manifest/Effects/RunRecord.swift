public import Records

/// The record `run` in expressions of `args`.
public enum RunRecord {
    /// `key`, the idempotency key of the run. All calls of a run have the same key, and no other run has it.
    public static let type = RecordType([("key", .string)])
}
