import Foundation
import TestSupport
import Testing

/// A host that listens on a control socket in a folder of its own, and its clients; killed with the last reference to `program`.
final class ControlledHost {
    static let door = """
        app.name = "door"
        [loops.door]
        state  = { open = false, times = 0 }
        events = { pushed = { by = "string", times = "int" }, shut = {} }
        [loops.door.on]
        pushed = { set = { open = "true", times = "state.times + event.times" } }
        shut   = { set = { open = "false" } }

        """

    let folder: TemporaryFolder
    let program: RunningProgram

    /// A host that listens; `program` has what it says on stderr.
    init(_ manifest: String = door, environment: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        try folder.write("app.toml", manifest)
        program = try RunningProgram(
            ["-c", "exec '\(Project.spinhost)' run --control 2>&1 >/dev/null"], in: folder.root,
            environment: Self.environment(folder).merging(environment) { $1 }, program: "/bin/bash")
        guard program.nextLine().hasPrefix("listening at `") else { throw CocoaError(.fileReadUnknown) }
    }

    /// A host that listens once it has printed its initial states.
    convenience init(printing manifest: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("app.toml", manifest)
        try self.init(in: folder, ["--json"])
    }

    /// The app in a folder; does not wait.
    init(in folder: TemporaryFolder, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        self.folder = folder
        program = try RunningProgram(
            ["run", "--control"] + arguments, in: folder.root,
            environment: Self.environment(folder).merging(environment) { $1 })
    }

    private static func environment(_ folder: TemporaryFolder) -> [String: String] {
        ["XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1"]
    }

    /// The socket of the app `door`.
    var socket: String { folder.url("spinhost/door.sock").path }

    /// Runs a client to its end.
    func spinhost(_ arguments: String...) throws -> Shell.Outcome {
        try Shell.run(
            Project.spinhost, arguments, in: folder.root, environment: Self.environment(folder))
    }

    /// Starts a client.
    func start(_ arguments: String..., program: String = Project.spinhost) throws -> RunningProgram {
        try RunningProgram(
            arguments, in: folder.root, environment: Self.environment(folder), program: program)
    }

    /// Gives a library of the host's folder another content with the same code.
    func change(_ library: String) throws {
        let file = folder.url(library)
        try (try Data(contentsOf: file) + [0]).write(to: file, options: .atomic)
    }

    /// Changes the library of a plugin, and swaps the plugin.
    func swapChanged(
        _ plugin: String, _ library: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try change(library)
        let outcome = try spinhost("swap", plugin)
        #expect(outcome.status == 0, "\(outcome.errors)", sourceLocation: sourceLocation)
    }

    /// Ends the host with a signal, and waits for that.
    func end(_ signal: Int32 = SIGTERM) -> (status: Int32, errors: String) {
        kill(program.identifier, signal)
        return program.end()
    }
}
