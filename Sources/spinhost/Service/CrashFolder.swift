import ArgumentParser
import FoundationEssentials
import Glibc
import PluginHost
import Records

/// The folder with the reports of crashes: `crashes` in the state folder of the service or the user.
struct CrashFolder {
    /// How many reports are kept; older ones are removed when an app begins.
    static let mostReports = 100

    let path: String

    /// The folder that the environment says: in systemd's `STATE_DIRECTORY`, `$XDG_STATE_HOME/spinhost` or
    /// `~/.local/state/spinhost`.
    static let standard: CrashFolder = {
        func variable(_ name: String) -> String? {
            // Safe because no thread changes the environment, and the text is copied.
            unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        // A unit may name several folders, with `:` between them.
        let state = variable("STATE_DIRECTORY")?.split(separator: ":").first.map(String.init)
        let home = variable("XDG_STATE_HOME") ?? "\(variable("HOME") ?? "/tmp")/.local/state"
        return CrashFolder(path: "\(state ?? "\(home)/spinhost")/crashes")
    }()

    /// Has a crash of this process leave a report from now on.
    func prepare(app: String, manifest: String) {
        for old in files.dropFirst(Self.mostReports - 1) { try? FileManager.default.removeItem(atPath: old) }
        let started = JournalTime.now / 1_000_000_000
        let fields: [(String, Value)] = [
            ("spinhost", .string(SpinhostCommand.configuration.version)), ("app", .string(app)),
            ("manifest", .string(manifest)), ("process", .int(Int64(getpid()))), ("started", .int(started)),
        ]
        CrashFile.prepare("\(path)/\(started)-\(getpid())-\(app).json", fields)
    }

    /// The paths of the reports, the newest start first.
    var files: [String] {
        let names = FolderReader.entries(of: path).map(\.name)
        return names.filter { $0.hasSuffix(".json") }.sorted(by: Self.isNewer).map { "\(path)/\($0)" }
    }

    /// Names begin with the time of the start, whose numbers of digits may differ.
    private static func isNewer(_ name: String, _ other: String) -> Bool {
        func time(_ name: String) -> Int64 { Int64(name.prefix { $0 != "-" }) ?? 0 }
        return (time(name), name) > (time(other), other)
    }
}
