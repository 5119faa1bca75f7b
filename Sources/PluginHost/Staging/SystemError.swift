import Glibc

/// An error number of the C library as text: `no such file or directory`.
public struct SystemError: Error, Hashable, Sendable {
    /// The number, as `errno` has it.
    public let number: Int32

    /// The error of that number.
    public init(number: Int32) { self.number = number }

    /// The error of the call that just failed on this thread.
    static var last: SystemError { SystemError(number: errno) }

    /// What the C library says about it (`strerror_r`), beginning with a small letter.
    public var text: String {
        // Safe because the buffer is the size it is said to be, and holds a string afterwards.
        let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            unsafe strerror_r(number, buffer.baseAddress!, buffer.count)
            return unsafe String(cString: buffer.baseAddress!)
        }
        // Sentences of ours begin with a small letter; names such as `RPC` keep theirs.
        guard let first = text.first, text.dropFirst().first?.isLowercase == true else { return text }
        return first.lowercased() + text.dropFirst()
    }
}
