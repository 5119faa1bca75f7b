/// Words for a shell.
enum ShellWord {
    /// A word that the shell takes as it is.
    static func quoted(_ word: String) -> String { "'\(word.replacing("'", with: #"'\''"#))'" }

    /// The same for people to read, without quotes where none are needed.
    static func readable(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || "0"..."9" ~= scalar)
                || "/._-+".unicodeScalars.contains(scalar)
        }
        return isPlain && !word.isEmpty ? word : quoted(word)
    }
}
