import Glibc

/// Asks whether the standard outputs are terminals.
enum Terminal {
    /// True if the descriptor is a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// True if text for people on the descriptor may have colour: it is a terminal, and `NO_COLOR` is empty
    /// or not set (no-color.org).
    static func hasColor(_ descriptor: Int32) -> Bool {
        // Safe because the program does not change its environment.
        let noColor = unsafe getenv("NO_COLOR")
        let isOff = unsafe noColor.map { unsafe $0.pointee != 0 } ?? false
        return isTerminal(descriptor) && !isOff
    }
}
