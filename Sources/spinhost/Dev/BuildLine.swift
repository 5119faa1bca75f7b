import Diagnostics
import Glibc
import Manifest

/// What the shell runs to build a plugin.
enum BuildLine {
    /// The line that builds it, in the folder of the manifest, as things are now: build folders come and go.
    ///
    /// - Throws: when the manifest does not say how to, and there is no usual way.
    static func line(for build: PluginBuild) throws(Diagnostic) -> String {
        let line: String
        switch build.command {
        case .line(let text): line = text
        case .words(let words): line = words.map(ShellWord.quoted).joined(separator: " ")
        case nil: line = try usual(build)
        }
        return "cd \(ShellWord.quoted(build.folder)) || exit; exec </dev/null >&2\n\(line)"
    }

    /// The library's target of a CMake project, else the compiler for a single file.
    private static func usual(_ build: PluginBuild) throws(Diagnostic) -> String {
        let target = build.library.split(separator: "/").last.map { name in
            String(name.prefix { $0 != "." })
        }
        if let target, let project = project(of: build.library) {
            let folder = ShellWord.quoted(project.build)
            let make = "cmake --build \(folder) --target \(ShellWord.quoted(target))"
            guard let source = project.source else { return make }
            let hasPresets = ["CMakeUserPresets.json", "CMakePresets.json"].contains {
                exists("\(source)/\($0)")
            }
            let configure =
                hasPresets ? "cmake --preset default" : "cmake -G Ninja -S . -B \(folder)"
            return "(cd \(ShellWord.quoted(source)) && \(configure)) && \(make)"
        }
        let sources = build.sources.filter { compiler(for: $0) != nil }
        guard sources.count == 1, let compiler = compiler(for: sources[0]) else {
            throw Diagnostic(
                .error, .notBuilt, "nothing says how `\(build.plugin)` is built", at: build.span,
                help: [
                    "add `build = \"…\"`, a command; without it a CMake project around the library, or one file in C or C++, is built"
                ])
        }
        let include = InstalledPackage.program.flatMap(InstalledPackage.include(of:))
        let made = ShellWord.quoted(build.library), part = ShellWord.quoted("\(build.library).part")
        // A library is there as a whole or not at all.
        return "\(compiler) -g -O1 -Wall -shared -fPIC \(include.map { "-I\(ShellWord.quoted($0)) " } ?? "")"
            + "-o \(part) \(ShellWord.quoted(sources[0])) -lm && mv -f \(part) \(made)"
    }

    /// The compiler of this machine for a source, with what libraries in the language need.
    private static func compiler(for source: String) -> String? {
        switch source.split(separator: ".").last {
        case "c": "${CC:-cc}"
        case "cc", "cpp", "cxx": "${CXX:-c++} -fno-gnu-unique"
        default: nil
        }
    }

    /// The CMake project that makes a library: its build folder, and for one that is not there yet its source folder.
    private static func project(of library: String) -> (build: String, source: String?)? {
        var parts = library.split(separator: "/").dropLast()
        var below: Substring?
        while true {
            let folder = "/" + parts.joined(separator: "/")
            if exists("\(folder)/CMakeCache.txt") { return (folder, nil) }
            if let below, exists("\(folder)/CMakeLists.txt") { return ("\(folder)/\(below)", folder) }
            guard let last = parts.popLast() else { return nil }
            below = last
        }
    }

    private static func exists(_ path: String) -> Bool {
        // Safe because the path is a NUL-terminated copy for the call.
        unsafe access(path, F_OK) == 0
    }
}

extension DiagnosticCode {
    /// P086: `dev` cannot build the library of a plugin.
    static let notBuilt = DiagnosticCode("P086")
}
