import ArgumentParser
import Diagnostics

/// Hints for errors of the argument parser.
enum ParserHint {
    static let verbs = names(SpinhostCommand.self)
    private static let pluginVerbs = names(PluginCommand.self)

    /// A hint for an error message of the parser; nil if there is none.
    static func hint(for message: String) -> String? {
        if message.contains("'<expression>'") {
            return "put `--` before an expression that begins with `-`: spinhost eval -- '-1'"
        }
        // If there are several unexpected arguments, the first is the misspelt verb.
        guard let found = message.firstMatch(of: /(?:Unexpected argument|unexpected arguments:) '([^']+)'/)
        else { return nil }
        let word = String(found.1)
        if message.contains("Usage: spinhost plugin <subcommand>") {
            return hint(word, "`spinhost plugin`", pluginVerbs)
        }
        return hint(word, "spinhost", verbs)
    }

    private static func hint(_ word: String, _ command: String, _ verbs: [String]) -> String? {
        Suggestion.closest(to: word, among: verbs).map {
            "`\(word)` is not a verb of \(command); did you mean `\($0)`?"
        }
    }

    private static func names(_ command: any ParsableCommand.Type) -> [String] {
        command.configuration.subcommands.compactMap { $0.configuration.commandName }
    }
}
