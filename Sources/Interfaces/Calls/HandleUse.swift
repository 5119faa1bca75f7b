import Records

/// The handles that a function opens or closes. A handle is a pointer that the plugin's `release` closes.
///
/// The parameter of the release function decides which pointers are handles: with `int sqlite3_close(sqlite3
/// *db)` every `sqlite3 *` is one; with a parameter `void *`, every pointer is one. A pointer to `const`
/// belongs to the library and is never closed.
public struct HandleUse: Hashable, Sendable {
    /// True if the result is a handle.
    public let returnsHandle: Bool
    /// The out-parameters to which the function writes a handle, as indices into `CallSignature.parameters`.
    public let outs: [Int]
    /// True for the release function itself, whose only parameter is a handle.
    public let closes: Bool

    /// True if the function may open a handle.
    public var opens: Bool { returnsHandle || !outs.isEmpty }

    /// The handles of a function with this signature.
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
    /// True if the function can be a `release`: its only parameter is a pointer to a type that is not
    /// `const`.
    public var closesPointers: Bool {
        guard parameters.count == 1, case .pointer(let pointer) = parameters[0].type else { return false }
        return !pointer.isConst && !isEmitting
    }
}
