/// A pointer, or the array of a parameter list that C turns into one.
public struct CPointer: Hashable, Sendable {
    /// How a pointer was written.
    public enum Bound: Hashable, Sendable {
        /// `T *`: one or many.
        case none
        /// `T name[]` or `T name[count]` in a parameter list.
        case array(count: Int?)
    }

    /// What it points to.
    public private(set) var pointee: CType
    /// True when the target is `const`: who takes such a pointer only reads.
    public let isConst: Bool
    /// Whether it was written as an array.
    public let bound: Bound
    /// True when it says itself that it may be null: `const char *_Nullable`.
    public let isNullable: Bool

    /// A pointer as it was written.
    public init(to pointee: CType, isConst: Bool, bound: Bound = .none, isNullable: Bool = false) {
        (self.pointee, self.isConst, self.bound, self.isNullable) = (pointee, isConst, bound, isNullable)
    }

    /// The same pointer to something else.
    func pointing(to pointee: CType) -> CPointer {
        var copy = self
        copy.pointee = pointee
        return copy
    }
}

extension CPointer: CustomStringConvertible {
    /// The pointer in C, such as `const double *` or `double []`.
    public var description: String {
        // The `const` of a pointer behind a pointer stands behind its star.
        let isNested = if case .pointer = pointee { true } else { false }
        let target =
            isNested ? "\(pointee)\(isConst ? "const " : "")" : "\(isConst ? "const " : "")\(pointee)"
        let separator = isNested && !isConst ? "" : " "
        switch bound {
        case .none: return "\(target)\(isNested ? "" : separator)*\(isNullable ? "_Nullable" : "")"
        case .array(let count): return "\(target)\(separator)[\(count.map(String.init) ?? "")]"
        }
    }
}
