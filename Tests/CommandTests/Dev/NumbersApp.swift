import Foundation
import TestSupport

/// An app that asks the plugin `numbers` in each state, until it answers 4.
enum NumbersApp {
    /// Where `spinhost/plugin.h` is.
    static let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path

    /// Prints `ready` when it begins.
    ///
    /// - Parameter more: what follows the plugin's library.
    static func manifest(_ more: String) -> String {
        """
        app.name = "dev-\(UUID().uuidString)"

        [plugins.numbers]
        library = "./lib.so"
        \(more)

        [loops.main]
        state  = { answer = 0 }
        events = { answered = { answer = "int" } }
        until  = "state.answer == 4"
        on.answered = { set = { answer = "event.answer" } }

        [loops.main.feedback.ask]
        effect  = "numbers:number"
        trigger = "state"
        emit    = { event = "answered", answer = "result" }

        [loops.main.feedback.say]
        effect = "std:print"
        args   = ["'ready'"]

        """
    }

    /// A version of the plugin.
    ///
    /// - Parameter answer: what it answers, in C; nil: its number.
    static func source(_ number: Int, type: String = "int32_t", answer: String? = nil) -> String {
        """
        #include <spinhost/plugin.h>
        SPIN_PLUGIN("numbers", "\(number).0");
        static \(type) number(void) { return \(answer ?? "\(number)"); }
        SPIN_EFFECT(\(type), number, (void), "");
        """
    }

    /// Makes a version in a folder.
    static func compile(
        _ number: Int, in folder: TemporaryFolder, as name: String = "lib.so", type: String = "int32_t",
        answer: String? = nil
    ) throws {
        _ = try CCompiler().sharedObject(
            source(number, type: type, answer: answer), in: folder, as: name, flags: ["-I\(include)"])
    }
}
