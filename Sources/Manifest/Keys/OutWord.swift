/// What `as` of an out-parameter may be.
enum OutWord: String, CaseIterable {
    /// Text up to its first NUL.
    case string
    /// Bytes, all of them or as many as `used` says.
    case bytes
}
