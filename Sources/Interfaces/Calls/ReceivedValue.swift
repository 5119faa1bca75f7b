public import Records

/// How a value that C code hands over, as a result or in an emission, becomes a value of the host.
public struct ReceivedValue: Hashable, Sendable {
    /// What C hands over.
    public enum Form: Hashable, Sendable {
        /// The bytes of `type` itself; a `bool` must be normalised.
        case plain
        /// `const char *`: NUL-terminated UTF-8, to be copied.
        case cString
        /// `spin_string`: pointer and size of UTF-8, to be copied.
        case text
        /// `spin_bytes`: pointer and size, to be copied.
        case bytes
    }

    /// What C hands over.
    public let form: Form
    /// What expressions see: `string` or `string?` for text, `bytes`, else the type of the same layout.
    public let type: ValueType

    /// What C hands over in this form becomes a value of this type.
    public init(form: Form, type: ValueType) { (self.form, self.type) = (form, type) }
}
