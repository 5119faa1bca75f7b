public import Records

/// What `error` is in `on-error`.
public enum FailureRecord {
    /// `message`, a sentence, and `code`, a number that tells kinds of failures apart.
    public static let type = RecordType([("message", .string), ("code", .integer(.i64))])
}
