/// The argument of a call for one parameter of a function. `spin_call *` and `spin_self *` have no argument.
public enum CallArgument: Hashable, Sendable {
    /// A value that the host computes and the function reads.
    case input
    /// Memory for `count` elements of the parameter's type, which the function writes. Expressions read it as
    /// `out.PARAMETER`.
    case out(count: Int, as: OutForm)
    /// An out-parameter whose memory starts with a value that the host computes, followed by zeros. The value
    /// is one element or a list of at most `count`; for the other forms, text or bytes that fit. Without a
    /// count, the declaration gives the number of elements, by default one.
    case inOut(count: Int?, as: OutForm)
    /// A null pointer.
    case null
    /// A function pointer whose calls the host answers. `counts` has the number of elements behind pointers,
    /// by the callback's parameters.
    case callback(counts: [String: Count])

    /// The number of elements behind a pointer that a callback gets.
    public enum Count: Hashable, Sendable {
        /// Always so many, from 0.
        case fixed(Int)
        /// The value of another parameter of the callback.
        case parameter(String)
    }

    /// How the host reads the memory that the function has written.
    public enum OutForm: Hashable, Sendable {
        /// As the declared type: a single value for a count of 1, else a list.
        case elements
        /// As text, up to the first NUL. For a `char **`, the host copies the text that it points to, and
        /// then frees it unless it is `const`.
        case string
        /// As bytes. `used` is `result` or `out.PARAMETER`, the number of bytes; without it, all bytes are
        /// read.
        case bytes(used: String?)
    }
}
