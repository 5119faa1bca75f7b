/// What a call gives for one parameter of a function; `spin_call *` and `spin_self *` get none.
public enum CallArgument: Hashable, Sendable {
    /// A value that the host computes and the function reads.
    case input
    /// Memory for `count` elements of the parameter's type that the function writes, read as `out.PARAMETER`.
    case out(count: Int, as: OutForm)
    /// The same, but the memory begins with a value that the host computes: one element, a list of at most `count`, or for
    /// the other forms text or bytes that fit; what is left of it is 0. Without a count there are as many elements as
    /// the declaration says, or one.
    case inOut(count: Int?, as: OutForm)
    /// A null pointer.
    case null

    /// How written memory is read.
    public enum OutForm: Hashable, Sendable {
        /// As the declared type: the value itself for a count of 1, else a list of all.
        case elements
        /// As text, up to the first NUL; what a `char **` points to, if anything, is copied, and then freed unless it is `const`.
        case string
        /// As bytes: all, or as many as `used` says, which is `result` or `out.PARAMETER`.
        case bytes(used: String?)
    }
}
