import ArgumentParser
import Diagnostics

/// What was probably meant by a word that is no verb.
enum VerbSuggestion {
    static let verbs = SpinhostCommand.configuration.subcommands.compactMap { $0.configuration.commandName }

    /// `did you mean …` for the parser's complaint about an unexpected first word; nil for other complaints.
    static func hint(for message: String) -> String? {
        let opening = "Unexpected argument '"
        guard let start = message.firstRange(of: opening)?.upperBound,
            let end = message[start...].firstIndex(of: "'")
        else { return nil }
        let word = String(message[start..<end])
        return Suggestion.closest(to: word, among: verbs).map {
            "`\(word)` is no verb of spinhost; did you mean `\($0)`?"
        }
    }
}
