import ArgumentParser
import Diagnostics

/// What to add to the complaints of the argument parser.
enum ParserHint {
    static let verbs = SpinhostCommand.configuration.subcommands.compactMap {
        $0.configuration.commandName
    }
    /// Verbs of the design that this version does not have.
    private static let laterVerbs = [
        "dev", "send", "state",
        "swap", "journal",
        "top",
    ]

    /// A line that helps with this message of the parser, if there is one.
    static func hint(for message: String) -> String? {
        if message.contains("'<expression>'") {
            return "an expression that begins with `-` goes behind `--`: spinhost eval -- '-1'"
        }
        let opening = "Unexpected argument '"
        guard let start = message.firstRange(of: opening)?.upperBound,
            let end = message[start...].firstIndex(of: "'")
        else { return nil }
        let word = String(message[start..<end])
        if laterVerbs.contains(word) { return "`\(word)` is not supported yet" }
        return Suggestion.closest(to: word, among: verbs).map {
            "`\(word)` is no verb of spinhost; did you mean `\($0)`?"
        }
    }
}
