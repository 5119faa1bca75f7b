import Foundation
import TestSupport

/// A diagnostic code that the sources of this checkout define.
struct DefinedCode: Sendable {
    /// Its name, such as `M012`.
    let name: String
    /// What it means: the first sentence of its documentation, or its `meaning`.
    let meaning: String

    /// All codes by name.
    static let all = Result { try find() }

    private static func find() throws -> [DefinedCode] {
        let sources = Project.root.appendingPathComponent("Sources").resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var codes: [DefinedCode] = []
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            if text.contains("= DiagnosticCode(\"") { codes += constants(in: text) }
            if text.contains("DiagnosticCode { DiagnosticCode(rawValue) }") { codes += cases(in: text) }
        }
        return codes.sorted { $0.name < $1.name }
    }

    /// `static let name = DiagnosticCode("P001")` below its documentation.
    private static func constants(in text: String) -> [DefinedCode] {
        var codes: [DefinedCode] = []
        var comment: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("/// ") {
                comment.append(line.dropFirst(4))
                continue
            }
            if let match = line.firstMatch(of: #/static let \w+ = DiagnosticCode\("(\w+)"\)/#) {
                let name = String(match.1)
                codes.append(DefinedCode(name: name, meaning: meaning(of: name, in: comment)))
            }
            comment = []
        }
        return codes
    }

    private static func meaning(of name: String, in comment: [Substring]) -> String {
        var text = comment.joined(separator: " ")
        if text.hasPrefix("\(name): ") { text.removeFirst(name.count + 2) }
        text = String(text.prefix(upTo: text.firstRange(of: ". ")?.lowerBound ?? text.endIndex))
        if text.hasSuffix(".") { text.removeLast() }
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    /// `case name = "M001"`, and `case .name: "its meaning"` further below.
    private static func cases(in text: String) -> [DefinedCode] {
        let meanings = text.matches(of: #/case \.(\w+): "(.+)"/#).map { ($0.1, String($0.2)) }
        let meaning = Dictionary(meanings) { first, _ in first }
        return text.matches(of: #/case (\w+) = "(\w+)"/#).map {
            DefinedCode(name: String($0.2), meaning: meaning[$0.1] ?? "")
        }
    }
}
