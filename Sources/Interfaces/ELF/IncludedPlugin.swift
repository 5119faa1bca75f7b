import Diagnostics
import Glibc

/// The plugins that come with the host. A manifest names one as `spin:NAME` where it could name a file.
public enum IncludedPlugin {
    /// The names of all of them.
    public static let names = [
        "files", "gpio", "http", "mqtt", "nats", "net", "postgres", "redis", "serial", "serve", "sqlite",
    ]

    private static let prefix = "spin:"

    /// What to write for a plugin that is named like one of these; nil for any other name.
    public static func advice(for name: String) -> String? {
        names.contains(name)
            ? "a plugin of this name comes with the host: `[plugins.\(name)]` with `library = \"\(prefix)\(name)\"`"
            : nil
    }

    /// The path of the plugin's file, which need not exist; nil if `library` does not begin with `spin:`.
    ///
    /// - Throws: `InterfaceError` if no plugin with that name comes with the host.
    public static func path(of library: String) throws(InterfaceError) -> String? {
        guard library.utf8.starts(with: prefix.utf8) else { return nil }
        let name = String(library.dropFirst(prefix.count))
        guard names.contains(name) else {
            throw InterfaceError(
                .unknownIncludedPlugin, "no plugin `\(name)` comes with the host",
                help: [
                    hint(for: name),
                    "these do: \(names.map { "`\(prefix)\($0)`" }.joined(separator: ", "))",
                    "for a file with this name, write `./\(library)`",
                ].compactMap(\.self))
        }
        let files = candidates(name, of: program)
        return files.first(where: isFile) ?? files[0]
    }

    /// What somebody probably meant by another name.
    private static func hint(for name: String) -> String? {
        if name == "std" { return "`std` needs no entry: call its effects, such as `std:print`" }
        let small = name.lowercased()
        let meant = names.contains(small) ? small : Suggestion.closest(to: small, among: names)
        return meant.map { "did you mean `\(prefix)\($0)`?" }
    }

    /// Where the plugin's file can be: beside the installed program, or in the build folder of the checkout that
    /// the program was built in.
    static func candidates(_ name: String, of program: String) -> [String] {
        let folders = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        let installed =
            folders.dropLast().joined(separator: "/") + "/lib/spinhost/plugins/\(name).so"
        // In a checkout, SwiftPM builds into `.build`, and CMake into `build`.
        guard let build = folders.lastIndex(where: { $0.hasPrefix(".build") }) else { return [installed] }
        return [
            installed, folders[..<build].joined(separator: "/") + "/build/plugins/\(name)/\(name).so",
        ]
    }

    /// The path of this program without symbolic links; empty if the system does not give it. It is asked for once: an
    /// upgrade may replace the file while the program runs.
    private static let program: String = {
        // Safe because the path is a NUL-terminated copy for the call, and its result is freed below.
        guard let path = unsafe realpath("/proc/self/exe", nil) else { return "" }
        // Safe because the text is copied before it is freed.
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }()

    private static func isFile(_ path: String) -> Bool {
        // Safe because the path is a NUL-terminated copy for the call.
        unsafe access(path, R_OK) == 0
    }
}
