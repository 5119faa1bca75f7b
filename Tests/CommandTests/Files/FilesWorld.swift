import Foundation
import Glibc
import TestSupport
import Testing

/// A folder, and an app that works in it through the plugin `files`. Each line of its input is a call: `read a.txt`, or
/// `write a.txt=content`. What calls emit are lines of its output.
struct FilesWorld {
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline) throws {
        self.mode = mode
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    }

    /// The library of this build.
    static let library = Project.root.appendingPathComponent("build/plugins/files/files.so")

    /// The root of the plugin.
    var data: URL { folder.url("data") }

    /// What a file has; nil if it is not there.
    func content(_ path: String) -> String? {
        try? String(contentsOf: data.appendingPathComponent(path), encoding: .utf8)
    }

    /// Puts a file there that is whole, as one change. It may take the place of another one.
    func put(_ path: String, _ content: String) throws {
        try folder.write("part", content)
        // Safe because both paths are copies for the call.
        try #require(
            unsafe rename(folder.url("part").path, data.appendingPathComponent(path).path) == 0)
    }

    /// A call for each line of the input that begins with its name.
    private static func feedback(_ effect: String, _ arguments: String, _ emits: String) -> String {
        """
        [loops.main.feedback.\(effect)]
        on       = "typed"
        when     = "event.text.startsWith('\(effect) ')"
        effect   = "files:\(effect)"
        args     = [\(arguments)]
        \(PluginApp.failure)
        emits    = { \(emits) }
        """
    }

    /// - Parameters:
    ///   - watch: the arguments of a watch whose emissions are printed, such as `path = "'in'", …`.
    ///   - config: settings of the plugin, besides `root`.
    ///   - library: the path of the plugin.
    ///   - more: further lines of the loop.
    func manifest(
        watch: String? = nil, config: String = "", library: String = library.path, more: String = ""
    ) -> String {
        let isolation = mode.lines(sandbox: #"read = ["\#(data.path)"], write = ["\#(data.path)"]"#)
        let whole = "event.text.replace('EFFECT ', '')"
        let first = "event.text.replace('EFFECT ', '').split('=')[0]"
        let second = "event.text.split('=')[1]"
        let done = "done = { event = \"said\", text = \"'done'\" }"
        let calls = [
            ("read", [whole], "text = { event = \"said\", text = \"value.path + ': ' + value.text\" }"),
            ("glob", [whole], "paths = { event = \"said\", text = \"value.paths.join(' ')\" }"),
            ("write", [first, "bytes(\(second))"], done), ("append", [first, "bytes(\(second))"], done),
            ("move", [first, second], done), ("remove", [whole], done), ("make_folder", [whole], done),
        ].map { effect, arguments, emits in
            let texts = arguments.map { "\"\($0.replacing("EFFECT", with: effect))\"" }
            return Self.feedback(effect, texts.joined(separator: ", "), emits)
        }
        let watching = watch.map { arguments in
            """
            [loops.main.feedback.watch]
            effect   = "files:watch"
            args     = { \(arguments) }
            \(PluginApp.failure)
            [loops.main.feedback.watch.emits]
            created = { event = "said", text = "(value.present ? 'present ' : 'created ') + value.path" }
            changed = { event = "said", text = "'changed ' + value.path" }
            removed = { event = "said", text = "'removed ' + value.path" }
            moved   = { event = "said", text = "'moved %s to %s'.format([value.from, value.path])" }
            rescan  = { event = "said", text = "'rescan: ' + value.reason" }
            """
        }
        return """
            app.name = "files"
            app.sandbox = "best-effort"
            [plugins.files]
            library = "\(library)"
            config = { root = "\(data.path)"\(config.isEmpty ? "" : ", \(config)") }
            \(isolation)
            [loops.main]
            state  = { said = 0 }
            events = { said = { text = "string" }, typed = { text = "string" } }
            \(more)
            feedback.print = { effect = "std:print", on = "said", args = { text = "event.text" } }
            [loops.main.on]
            said  = { set = { said = "state.said + 1" } }
            typed = {}
            \(PluginApp.input("typed"))
            \(calls.joined(separator: "\n"))
            \(watching ?? "")
            """
    }

    /// Starts such an app.
    func start(watch: String? = nil, config: String = "", more: String = "") throws -> RunningProgram {
        return try folder.start(manifest(watch: watch, config: config, more: more))
    }

    /// Starts such an app whose plugin can be swapped.
    func startSwappable(watch: String? = nil) throws -> ControlledHost {
        try FileManager.default.copyItem(at: Self.library, to: folder.url("files.so"))
        try folder.write("app.toml", manifest(watch: watch, library: "./files.so"))
        return try ControlledHost(in: folder, ["--quiet"])
    }
}
