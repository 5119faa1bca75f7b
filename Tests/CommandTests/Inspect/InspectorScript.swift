import Foundation
import TestSupport

/// A script in the place of `spinhost-inspector`. It leaves files in a folder that say what became of it.
struct InspectorScript {
    let folder: TemporaryFolder
    /// What makes `spinhost` run the script.
    let environment: [String: String]

    /// - Parameter body: the lines of the script, which begin in the folder. By default it prints a line and waits for the
    ///   end of its standard input.
    init(_ body: String = #"echo "inspector: $*"; cat >/dev/null; echo >>ended"#) throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", ControlledHost.door)
        let script = folder.url("inspector")
        try folder.write("inspector", "#!/bin/bash\ncd '\(folder.root.path)'\necho $$ >>started\n\(body)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
        environment = [
            "SPINHOST_INSPECTOR": script.path, "XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1",
        ]
    }

    /// The control socket of the app.
    var socket: String { folder.url("spinhost/door.sock").path }

    /// Whether the script has written a file.
    func has(_ file: String) -> Bool { FileManager.default.fileExists(atPath: folder.url(file).path) }

    /// The lines of a file that the script has written; none if there is no file.
    func lines(of file: String) -> [String] {
        let text = try? String(contentsOf: folder.url(file), encoding: .utf8)
        return text?.split(separator: "\n").map(String.init) ?? []
    }

    /// Starts a command of `spinhost` and does not wait for its end.
    func start(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(arguments, in: folder.root, environment: environment)
    }

    /// Runs a command of `spinhost` to its end.
    func run(_ arguments: String..., with more: [String: String] = [:]) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, arguments, in: folder.root, environment: environment.merging(more) { $1 })
    }
}
