import ArgumentParser
import Diagnostics

/// What to add to the complaints of the argument parser.
enum ParserHint {
    static let verbs = names(SpinhostCommand.self)
    private static let pluginVerbs = names(PluginCommand.self)
    /// Verbs of the design that this version does not have.
    private static let laterVerbs = ["journal", "top"]

    /// A line that helps with this message of the parser, if there is one.
    static func hint(for message: String) -> String? {
        if message.contains("'<expression>'") {
            return "an expression that begins with `-` goes behind `--`: spinhost eval -- '-1'"
        }
        // Of several, the first is the one that was to be a verb.
        guard let found = message.firstMatch(of: /(?:Unexpected argument|unexpected arguments:) '([^']+)'/)
        else { return nil }
        let word = String(found.1)
        if message.contains("Usage: spinhost plugin <subcommand>") {
            return hint(word, "`spinhost plugin`", pluginVerbs)
        }
        if laterVerbs.contains(word) { return "`\(word)` is not supported yet" }
        return hint(word, "spinhost", verbs)
    }

    private static func hint(_ word: String, _ command: String, _ verbs: [String]) -> String? {
        Suggestion.closest(to: word, among: verbs).map {
            "`\(word)` is no verb of \(command); did you mean `\($0)`?"
        }
    }

    private static func names(_ command: any ParsableCommand.Type) -> [String] {
        command.configuration.subcommands.compactMap { $0.configuration.commandName }
    }
}
