/// One parameter of a function.
public struct CParameter: Hashable, Sendable {
    /// Its name. A parameter without a name is called `arg1` and so on, by its position.
    public let name: String
    /// Its type. An array is a pointer whose `bound` is the array's.
    public let type: CType
    /// The declaration as written, with single spaces: `const char *path`.
    public let text: String
}
