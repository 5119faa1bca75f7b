/// A pointer, or an array in a parameter list, which C converts to a pointer.
public struct CPointer: Hashable, Sendable {
    /// The notation of a pointer.
    public enum Bound: Hashable, Sendable {
        /// `T *`: one element or many.
        case none
        /// `T name[]` or `T name[count]` in a parameter list.
        case array(count: Int?)
    }

    /// The type that it points to.
    public private(set) var pointee: CType
    /// True if the target is `const`: a function with such a parameter only reads it.
    public let isConst: Bool
    /// Whether it was written as an array.
    public let bound: Bound
    /// True if it is declared as nullable: `const char *_Nullable`.
    public let isNullable: Bool

    /// A pointer to a type.
    public init(to pointee: CType, isConst: Bool, bound: Bound = .none, isNullable: Bool = false) {
        (self.pointee, self.isConst, self.bound, self.isNullable) = (pointee, isConst, bound, isNullable)
    }

    /// True if only the library understands its target, so that the host passes the address on.
    var isOpaque: Bool {
        switch pointee {
        case .void, .incomplete, .pointer: bound == .none
        default: false
        }
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
        if case .function(let function) = pointee {
            return "\(function.result) (*\(isNullable ? "_Nullable" : ""))(\(function.parameterList))"
        }
        // In a pointer to a const pointer, C writes `const` after the inner star.
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
