import CLinux
import Glibc

/// Asks about terminals.
enum Terminal {
    /// True if the descriptor is a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// The columns and rows of a terminal; 80 and 24 if it does not say.
    static func size(_ descriptor: Int32) -> (columns: Int, rows: Int) {
        var (columns, rows): (UInt16, UInt16) = (0, 0)
        // Safe because both numbers live for the call.
        guard unsafe linux_terminal_size(descriptor, &columns, &rows) != 0 else { return (80, 24) }
        return (Int(columns), Int(rows))
    }

    /// True if text for people on the descriptor may have colour: it is a terminal, and `NO_COLOR` is empty
    /// or not set (no-color.org).
    static func hasColor(_ descriptor: Int32) -> Bool {
        // Safe because the program does not change its environment.
        let noColor = unsafe getenv("NO_COLOR")
        let isOff = unsafe noColor.map { unsafe $0.pointee != 0 } ?? false
        return isTerminal(descriptor) && !isOff
    }
}
