public import Records

/// The record `error` in expressions of `on-error`.
public enum FailureRecord {
    /// `message`, a sentence, and `code`, the number of the kind of failure.
    public static let type = RecordType([("message", .string), ("code", .integer(.i64))])
}
