import Glibc

// The page of the app.
extension AppHost {
    /// What serves the page; nil if nobody wants it.
    ///
    /// `run` has a page if the user asks for it. `dev` has one at a terminal, if the program is installed.
    ///
    /// - Throws: an exit code, after the reason was printed, if the user asks for a page and the program is missing.
    static func inspector(_ options: RunOptions, isDev: Bool) throws -> InspectorService? {
        let choice = options.inspectOptions.choice
        guard choice ?? (isDev && !options.quiet && Terminal.isTerminal(STDERR_FILENO)) else { return nil }
        guard let program = InspectorProgram.path else {
            guard choice != nil else {
                if !InspectorProgram.isOff {
                    ErrorOutput.line("no page: `\(InspectorProgram.name)` is not installed")
                }
                return nil
            }
            ErrorOutput.show("`\(InspectorProgram.name)` is not installed", help: InspectorProgram.help)
            throw ExitStatus.unavailable
        }
        return InspectorService(program, options.inspectOptions.address) { ErrorOutput.line($0) }
    }
}
