import Glibc

/// A program that `spinhost` or its users start, and that need not be there.
struct DoctorTool {
    let name: String
    /// How the shell starts it: the same words as where it is used.
    let command: String
    /// What asks it for its version.
    var question = "--version"
    /// What it is for, as a part of a sentence.
    let use: String
    /// The oldest version that will do; nil for any.
    var oldest: [Int]?
    let remedy: DoctorFinding.Remedy

    /// All of them, in the order of the report.
    static let all = [
        DoctorTool(
            name: "C compiler", command: "${CC:-cc}", use: "builds plugins in C, and reads C headers",
            remedy: .command("apt install gcc libc6-dev")),
        DoctorTool(
            name: "C++ compiler", command: "${CXX:-c++}", use: "builds plugins in C++",
            remedy: .command("apt install g++")),
        DoctorTool(
            name: "Make", command: "make", use: "builds the projects of `spinhost new --template c`",
            remedy: .command("apt install make")),
        DoctorTool(
            name: "CMake", command: "cmake", use: "builds the projects of `spinhost plugin new`",
            oldest: [3, 25], remedy: .command("apt install cmake")),
        DoctorTool(
            name: "Ninja", command: "ninja", use: "is what CMake builds these projects with",
            remedy: .command("apt install ninja-build")),
        DoctorTool(
            name: "Swift", command: "swiftc", use: "builds plugins in Swift", oldest: [6, 3],
            remedy: .advice("https://www.swift.org/install/linux says how to install it")),
        DoctorTool(
            name: "Cargo", command: "cargo", use: "builds plugins in Rust", oldest: [1, 83],
            remedy: .advice("https://rustup.rs says how to install it")),
        // The package `ziglang` of Python calls it `python-zig`.
        DoctorTool(
            name: "Zig", command: "$(command -v zig || echo python-zig)", question: "version",
            use: "builds plugins in Zig", oldest: [0, 17],
            remedy: .advice("https://ziglang.org/download has it, and so has `pipx install ziglang`")),
    ]

    /// Asks the program for its version.
    var finding: DoctorFinding {
        guard let version = Self.version(command, question) else {
            return DoctorFinding(
                name: name, status: .missing, text: "it \(use), and there is no such program",
                remedy: remedy)
        }
        guard let oldest, Self.isOlder(version, than: oldest) else {
            return DoctorFinding(name: name, status: .ok, text: version)
        }
        let needed = oldest.map(String.init).joined(separator: ".")
        return DoctorFinding(
            name: name, status: .old, text: "`\(version)`; it \(use) from version \(needed) on",
            remedy: remedy)
    }

    /// The first line that a program prints when it is asked for its version; nil if it does not answer within ten
    /// seconds, or has no such option.
    private static func version(_ command: String, _ question: String) -> String? {
        // The command is not quoted, because `$CC` may have several words.
        let line = "set -f; LC_ALL=C exec timeout 10 \(command) \(question) 2>/dev/null </dev/null"
        // Safe because line and mode are NUL-terminated copies for the call.
        guard let output = unsafe popen(line, "re") else { return nil }
        let text = StreamText.read { unsafe getc(output) }
        // Safe because the stream is open, and not used again.
        guard unsafe pclose(output) == 0 else { return nil }
        return text.split(separator: "\n").first.map(String.init)
    }

    /// Whether the first number with a point in a text is a smaller version.
    static func isOlder(_ text: String, than oldest: [Int]) -> Bool {
        let words = text.split { !$0.isASCII || !$0.isNumber && $0 != "." }
        guard let word = words.first(where: { $0.contains(".") }) else { return false }
        return word.split(separator: ".").compactMap { Int($0) }.lexicographicallyPrecedes(oldest)
    }
}
