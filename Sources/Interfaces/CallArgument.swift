/// What a call gives for one parameter of a function; `spin_call *` gets none.
public enum CallArgument: Hashable, Sendable {
    /// A value that the host computes and the function reads.
    case input
    /// Memory for `count` elements of the parameter's type that the function writes, read as `out.PARAMETER`.
    case out(count: Int, as: OutForm)

    /// How written memory is read.
    public enum OutForm: Hashable, Sendable {
        /// As the declared type: the value itself for a count of 1, else a list of all.
        case elements
        /// As text, up to the first NUL.
        case string
        /// As bytes: all, or as many as the expression `used` over `result` and `errno` says.
        case bytes(used: String?)
    }
}
