/// Quotes words for a shell.
enum ShellWord {
    /// The word in quotes, so that the shell does not change it.
    static func quoted(_ word: String) -> String { "'\(word.replacing("'", with: #"'\''"#))'" }

    /// The word for people to read: in quotes only if it needs them.
    static func readable(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
                || "/._-+".unicodeScalars.contains(scalar)
        }
        return isPlain && !word.isEmpty ? word : quoted(word)
    }
}
