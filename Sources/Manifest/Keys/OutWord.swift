/// The values of an out-parameter's `as`.
enum OutWord: String, CaseIterable {
    /// Text up to its first NUL.
    case string
    /// Bytes: as many as `used` says, by default all of them.
    case bytes
}
