import Glibc

/// What the C library says about error numbers.
enum SystemMessage {
    /// The text of an `errno` value (`strerror_r`).
    static func text(of number: Int32) -> String {
        // Safe because the C library's text is NUL-terminated and copied at once.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            unsafe buffer.initialize(repeating: 0)
            guard unsafe __xpg_strerror_r(number, buffer.baseAddress!, buffer.count) == 0 else {
                return "unknown error \(number)"
            }
            return unsafe String(cString: buffer.baseAddress!)
        }
    }
}
