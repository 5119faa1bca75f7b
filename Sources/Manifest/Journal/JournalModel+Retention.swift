import Records

extension JournalModel.Retention {
    /// Parses a value of `keep`: `all`, a size such as `2GiB`, days such as `7d`, another duration
    /// (`TimeText.nanoseconds(ofDuration:)`), or a number of steps without a unit.
    ///
    /// The result is nil for other text, and for nothing to keep.
    public init?(_ text: String) {
        if text == "all" {
            self = .all
        } else if let steps = Int(text), steps > 0 {
            self = .steps(steps)
        } else if let bytes = SizeText.bytes(ofSize: text), bytes > 0 {
            self = .bytes(bytes)
        } else if text.hasSuffix("d"), let days = Int(text.dropLast()), (1...Self.mostDays).contains(days) {
            self = .age(.seconds(days * 86400))
        } else if let nanoseconds = TimeText.nanoseconds(ofDuration: text), nanoseconds > 0 {
            self = .age(.nanoseconds(nanoseconds))
        } else {
            return nil
        }
    }

    // As long as the longest duration of a manifest, some 292 years.
    private static let mostDays = 106_751
}
