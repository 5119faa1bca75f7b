/// One parameter of a function.
public struct CParameter: Hashable, Sendable {
    /// Its name; `arg1` and so on by position when the declaration gives none.
    public let name: String
    /// Its type; an array is a pointer that remembers it.
    public let type: CType
    /// The declaration as it was written, white space collapsed: `const char *path`.
    public let text: String
}
