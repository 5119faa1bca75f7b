import Records

/// What a function does with the pointers that its plugin's `release` closes: opens some, or closes one.
///
/// Which pointers those are, the release function's parameter says: `int sqlite3_close(sqlite3 *db)` closes `sqlite3 *`, and one
/// that takes `void *` any pointer. A pointer to `const` belongs to the library and is never closed.
public struct HandleUse: Hashable, Sendable {
    /// True when the result is one.
    public let returnsHandle: Bool
    /// Out-parameters that the function writes one to, as indices into `CallSignature.parameters`.
    public let outs: [Int]
    /// True for the release function itself: its only parameter is one.
    public let closes: Bool

    /// True when it may open one.
    public var opens: Bool { returnsHandle || !outs.isEmpty }

    /// What a function with this signature does.
    ///
    /// - Precondition: `release` closes pointers (`closesPointers`).
    public init(of signature: CallSignature, release: CFunction) {
        closes = signature.function.name == release.name
        guard !closes, !signature.function.isEmitting,
            case .pointer(let closed)? = release.parameters.first?.type
        else {
            (returnsHandle, outs) = (false, [])
            return
        }
        func isHandle(_ type: CType) -> Bool {
            guard case .pointer(let pointer) = type, !pointer.isConst else { return false }
            return closed.pointee == .void || pointer.pointee == closed.pointee
        }
        returnsHandle = signature.result?.type == .pointer && isHandle(signature.function.result)
        outs = signature.parameters.indices.filter { index in
            guard case .out(let buffer) = signature.parameters[index].passing, buffer.element == .pointer,
                buffer.form == .elements,
                case .pointer(let written) = signature.parameters[index].type
            else { return false }
            return isHandle(written.pointee)
        }
    }
}

extension CFunction {
    /// True when the function may close pointers: it takes one that is not to `const`, and nothing else.
    public var closesPointers: Bool {
        guard parameters.count == 1, case .pointer(let pointer) = parameters[0].type else { return false }
        return !pointer.isConst && !isEmitting
    }
}
