import Glibc

/// The C compiler of this machine, run through the shell.
struct CompilerCommand {
    /// Why there is no answer.
    enum Failure: Error {
        /// There is no such compiler.
        case noCompiler(String)
        /// It did not end in time, or not in order.
        case noAnswer(String)
    }

    /// What it printed.
    struct Answer {
        /// True when it found nothing wrong.
        let isGood: Bool
        /// On stdout.
        let output: String
        /// On stderr.
        let errors: String
    }

    /// How long the compiler may take, in seconds.
    static let limit = 60

    /// The command in words of the shell; nil: `$CC`, else `cc`.
    var command: String?
    /// Folders in which headers are looked up before those of the system, in order.
    var includes: [String] = []
    /// Macros, each `NAME` or `NAME=VALUE`.
    var defines: [String] = []

    /// Runs the compiler on a source in C11 with the extensions of GNU.
    ///
    /// - Throws: when it does not run, or does not end by itself; a source that is wrong is an answer.
    func run(_ flags: [String], source: String) throws(Failure) -> Answer {
        // Safe because both streams are closed once, below, and the text is a NUL-terminated copy for the call.
        guard let input = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(input) }
        guard let errors = unsafe tmpfile() else { throw Self.noRoom }
        defer { unsafe fclose(errors) }
        guard unsafe fputs(source, input) >= 0 else { throw Self.noRoom }
        unsafe rewind(input)
        let words =
            flags + includes.flatMap { ["-I", $0] } + defines.flatMap { ["-D", $0] } + ["-x", "c", "-"]
        let compiler = command.map(ShellWord.quoted) ?? "\"${CC:-cc}\""
        // The compiler's name may be several words.
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
        // The exit code of a process that ended by itself (`WEXITSTATUS`).
        switch status & 0x7F == 0 ? status >> 8 & 0xFF : -1 {
        case 0: return Answer(isGood: true, output: printed, errors: said)
        case 1: return Answer(isGood: false, output: printed, errors: said)
        case 124, 137: throw .noAnswer("it did not end within \(Self.limit) seconds")
        case 126, 127: throw .noCompiler(said.split(separator: "\n").last.map(String.init) ?? "")
        default: throw .noAnswer(said.split(separator: "\n").first.map(String.init) ?? "it was ended")
        }
    }

    private static let noRoom = Failure.noAnswer("there is no room for a temporary file")
}
