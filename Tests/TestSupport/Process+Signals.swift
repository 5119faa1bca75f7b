public import Foundation

extension Process {
    /// Runs the program with no signal blocked.
    ///
    /// Tests run on threads that block signals, and a program inherits that. Some programs would then never end at SIGTERM.
    public func runWithSignals() throws {
        var (none, before) = (sigset_t(), sigset_t())
        // Safe because the sets are locals.
        unsafe sigemptyset(&none)
        unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
