import Glibc

/// What the standard outputs are connected to.
enum Terminal {
    /// True when the descriptor is a terminal.
    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// True when text for people on the descriptor may be coloured: a terminal, and no `NO_COLOR`
    /// (no-color.org: any value that is not empty).
    static func hasColor(_ descriptor: Int32) -> Bool {
        // Safe because the environment is not changed while the program runs.
        let wish = unsafe getenv("NO_COLOR")
        let isOff = unsafe wish.map { unsafe $0.pointee != 0 } ?? false
        return isTerminal(descriptor) && !isOff
    }
}
