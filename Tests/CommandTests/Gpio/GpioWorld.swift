import Foundation
import TestSupport
import Testing

/// Apps that watch a line through the plugin `gpio`, and set one with each line of their input. They print what the
/// plugin emits. Few machines have a chip whose inputs a test may set, so these tests have none: those in C have chips.
struct GpioWorld {
    let folder: TemporaryFolder
    private let mode: PluginMode

    init(_ mode: PluginMode = .inline) throws {
        self.mode = mode
        folder = try TemporaryFolder()
    }

    /// The library of this build.
    static let library = Project.root.appendingPathComponent("build/plugins/gpio/gpio.so")

    /// A path at which no chip is.
    var chip: String { folder.url("chip").path }

    /// - Parameters:
    ///   - config: settings of the plugin; without `chip`, it is the missing one.
    ///   - lines: the lines to watch, as an expression.
    ///   - library: the path of the plugin.
    func manifest(
        _ config: String = "outputs = ['lamp']", lines: String = "['button']", library: String = library.path
    ) -> String {
        let isolation = mode.lines(sandbox: #"read = ["/dev/null"], write = ["/dev/null"]"#)
        let settings = (config.contains("chip =") ? [] : ["chip = '\(chip)'"]) + [config]
        return """
            app.name = "board"
            app.sandbox = "best-effort"
            [plugins.board]
            library = "\(library)"
            config = { \(settings.joined(separator: ", ")) }
            \(isolation)
            [loops.main]
            state  = { said = 0 }
            events = { said = { text = "string" }, typed = { text = "string" } }
            feedback.print = { effect = "std:print", on = "said", args = { text = "event.text" } }
            [loops.main.on]
            said  = { set = { said = "state.said + 1" } }
            typed = {}
            [loops.main.feedback.watch]
            effect       = "board:edges"
            args         = { lines = "\(lines)" }
            emits.edge   = { event = "said", text = "value.line + ' ' + value.edge" }
            emits.lost   = { event = "said", text = "'lost %d'.format([value.count])" }
            emits.opened = { event = "said", text = "'opened ' + value.chip" }
            emits.closed = { event = "said", text = "'closed: ' + value.reason" }
            \(PluginApp.failure)
            \(PluginApp.input("typed"))
            [loops.main.feedback.set]
            on       = "typed"
            effect   = "board:set"
            args     = { line = "event.text", level = true }
            \(PluginApp.failure)
            """
    }

    /// Starts such an app.
    func start(_ config: String = "outputs = ['lamp']", lines: String = "['button']") throws -> RunningProgram
    {
        try folder.start(manifest(config, lines: lines))
    }
}
