import Foundation
import TestSupport

/// What `spinhost plugin check --json --seed 7` says of a library.
struct CheckedPlugin {
    /// One rule, for the plugin or for a member of it.
    struct Line: Decodable {
        let rule: String
        let member: String?
        let status: String
        let message: String
        let seed: UInt64
    }

    let status: Int32
    let lines: [Line]
    let errors: String

    init(_ library: String, _ options: [String] = [], in folder: URL? = nil) throws {
        // The machine may be busy.
        let patience = options.contains("--timeout") ? [] : ["--timeout", "100"]
        let outcome = try Shell.run(
            Project.spinhost, ["plugin", "check", library, "--json", "--seed", "7"] + options + patience,
            in: folder)
        lines = try outcome.output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        (status, errors) = (outcome.status, outcome.errors)
    }

    init(fixture: String, _ options: [String] = []) throws {
        let library = try CompiledFixture(fixture)
        try self.init(library.file.path, options)
    }

    func line(_ rule: String, _ member: String? = nil) throws -> Line {
        guard let line = lines.first(where: { $0.rule == rule && $0.member == member }) else {
            throw Missing(description: "no line for `\(rule)`")
        }
        return line
    }

    /// The rules that fail, with what fails them.
    var failed: [String] {
        lines.filter { $0.status == "failed" }.map { $0.rule + ($0.member.map { " of \($0)" } ?? "") }
    }

    private struct Missing: Error, CustomStringConvertible { let description: String }
}
