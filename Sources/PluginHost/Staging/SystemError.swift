import Glibc

/// An error number of the C library, and its text: `no such file or directory`.
public struct SystemError: Error, Hashable, Sendable {
    /// The number, a value of `errno`.
    public let number: Int32

    /// The error with that number.
    public init(number: Int32) { self.number = number }

    /// The error of the call that just failed on this thread.
    package static var last: SystemError { SystemError(number: errno) }

    /// The text of the C library (`strerror_r`), with a small first letter.
    public var text: String {
        // Safe because the call gets the buffer's size, and leaves a NUL-terminated string in it.
        let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            unsafe strerror_r(number, buffer.baseAddress!, buffer.count)
            return unsafe String(cString: buffer.baseAddress!)
        }
        // The host's messages begin with a small letter, but names such as `RPC` keep their capitals.
        guard let first = text.first, text.dropFirst().first?.isLowercase == true else { return text }
        return first.lowercased() + text.dropFirst()
    }
}
