import Glibc
import Inspector

/// `spinhost-inspector`
enum Program {
    /// Serves until a signal, or the end of the program that started this one.
    static func run(_ arguments: [String]) -> Never {
        do throws(InspectorError) {
            switch try InspectorOptions.parse(arguments) {
            case .text(let text):
                print(text, terminator: text.hasSuffix("\n") ? "" : "\n")
                exit(EXIT_SUCCESS)
            case .options(let options): try serve(options)
            }
        } catch {
            line("error: \(error.message)")
            exit(error.code)
        }
    }

    private static func serve(_ options: InspectorOptions) throws(InspectorError) -> Never {
        var signals = sigset_t()
        // Safe because the set is a local. The threads of the server inherit the mask.
        unsafe sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe _ = sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        let server = try InspectorServer(options, log: { line($0) })
        print("inspector: \(server.url)")
        fflush(nil)
        if options.endsWithParent { ParentWatch.start() }
        var number: Int32 = 0
        // Safe because set and number are locals.
        while unsafe sigwait(&signals, &number) != 0 {}
        server.stop()
        exit(EXIT_SUCCESS)
    }

    /// Writes a line to stderr in one piece.
    private static func line(_ text: String) {
        let bytes = Array("inspector: \(text)\n".utf8)
        // Safe because the call gets the number of bytes.
        unsafe _ = bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
