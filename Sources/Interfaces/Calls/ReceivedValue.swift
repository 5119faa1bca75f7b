public import Records

/// How the host reads a value from C code: a result, or a field of an emission.
public struct ReceivedValue: Hashable, Sendable {
    /// The form of the value in C.
    public enum Form: Hashable, Sendable {
        /// The bytes of `type` itself; the host must normalise a `bool`.
        case plain
        /// `const char *`: NUL-terminated UTF-8, which the host must copy.
        case cString
        /// `spin_string`: pointer and size of UTF-8, which the host must copy.
        case text
        /// `spin_bytes`: pointer and size, which the host must copy.
        case bytes
    }

    /// The form of the value in C.
    public let form: Form
    /// The type for expressions: `string` or `string?` for text, `bytes`, else the type with the same layout.
    public let type: ValueType

    /// A value of this form in C and this type in the host.
    public init(form: Form, type: ValueType) { (self.form, self.type) = (form, type) }
}
