import Glibc

/// The C compiler of this machine, run through the shell.
struct CompilerCommand {
    /// The reason why there is no answer.
    enum Failure: Error {
        /// There is no such compiler.
        case noCompiler(String)
        /// The compiler did not end in time, or crashed.
        case noAnswer(String)
    }

    /// The output of the compiler.
    struct Answer {
        /// True if it found no error.
        let isGood: Bool
        /// Its stdout.
        let output: String
        /// Its stderr.
        let errors: String
    }

    /// The time limit of the compiler, in seconds.
    static let limit = 60

    /// The command; nil for `$CC`, or `cc` without that variable.
    var command: String?
    /// Folders to search for headers before those of the system, in order.
    var includes: [String] = []
    /// Macros, each `NAME` or `NAME=VALUE`.
    var defines: [String] = []

    /// Runs the compiler on a source in C11 with GNU extensions.
    ///
    /// - Throws: if the compiler does not run, or does not end by itself. Errors in the source are an answer.
    func run(_ flags: [String], source: String) throws(Failure) -> Answer {
        // Safe because both streams are closed once, below, and the text is a NUL-terminated copy for the
        // call.
        guard let input = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(input) }
        guard let errors = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(errors) }
        guard unsafe fputs(source, input) >= 0 else { throw Self.noRoom }
        unsafe rewind(input)
        let words =
            flags + includes.flatMap { ["-I", $0] } + defines.flatMap { ["-D", $0] } + ["-x", "c", "-"]
        let compiler = command.map(ShellWord.quoted) ?? "\"${CC:-cc}\""
        // `$compiler` is not quoted, because the command may have several words.
        let line =
            "set -f; compiler=\(compiler); LC_ALL=C exec timeout --kill-after=5 \(Self.limit) $compiler "
            + "-std=gnu11 -D_GNU_SOURCE \(words.map(ShellWord.quoted).joined(separator: " ")) "
            + "<&\(unsafe fileno(input)) 2>&\(unsafe fileno(errors))"
        // Safe because command and mode are NUL-terminated copies for the call.
        guard let output = unsafe popen(line, "re") else { throw .noAnswer("no process can be started") }
        let printed = StreamText.read { unsafe getc(output) }
        // Safe because the stream is open, and not used again.
        let status = unsafe pclose(output)
        unsafe rewind(errors)
        let said = StreamText.read { unsafe getc(errors) }
        // The exit code (`WEXITSTATUS`) of a process that a signal has not ended.
        switch status & 0x7F == 0 ? status >> 8 & 0xFF : -1 {
        case 0: return Answer(isGood: true, output: printed, errors: said)
        case 1: return Answer(isGood: false, output: printed, errors: said)
        case 124, 137: throw .noAnswer("it did not end within \(Self.limit) seconds")
        case 126, 127: throw .noCompiler(said.split(separator: "\n").last.map(String.init) ?? "")
        default: throw .noAnswer(said.split(separator: "\n").first.map(String.init) ?? "it crashed")
        }
    }

    private static let noRoom = Failure.noAnswer("a temporary file cannot be created")
}
