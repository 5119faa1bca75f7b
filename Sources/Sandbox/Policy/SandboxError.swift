import Glibc

/// Why a policy is not applied, or a process not observed.
public enum SandboxError: Error, Hashable, Sendable {
    /// A rule's file cannot be reached; the error is an `errno`.
    case unreachable(path: String, key: String, error: Int32)
    /// A rule's path is relative, or contains a NUL character.
    case notAbsolute(path: String, key: String)
    /// The kernel cannot keep these rules; `SandboxAbility.missing(for:)` has the texts.
    case notSupported([String])
    /// The process that started this one is not its parent any more.
    case parentEnded
    /// The process has threads, which the rules would not cover.
    case hasThreads
    /// A system call has failed with an `errno`.
    case failed(call: String, error: Int32)
}

extension SandboxError: CustomStringConvertible {
    /// The reason in words: lower case, without a full stop.
    public var description: String {
        switch self {
        case .unreachable(let path, let key, let error):
            "cannot reach `\(path)` of `\(key)`: \(Self.text(of: error))"
        case .notAbsolute(let path, let key): "`\(path)` of `\(key)` is not an absolute path"
        case .notSupported(let rules): "the kernel cannot keep the sandbox: \(rules.joined(separator: "; "))"
        case .parentEnded: "the host has ended"
        case .hasThreads: "the process has threads already"
        case .failed(let call, let error): "\(call) failed: \(Self.text(of: error))"
        }
    }

    private static func text(of error: Int32) -> String {
        var bytes = [CChar](repeating: 0, count: 128)
        // Safe because the call gets the size of the bytes, and its text is copied before they go.
        let text = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe strerror_r(error, buffer.baseAddress!, buffer.count)
            return unsafe String(cString: buffer.baseAddress!)
        }
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
