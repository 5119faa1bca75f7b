import Foundation
import TestSupport
import Testing

/// The public symbols of a module of this build, without what the compiler makes of conformances.
struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Comment: Decodable {}

        let pathComponents: [String]
        let docComment: Comment?
    }

    let symbols: [Symbol]

    init(of module: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Shell.run(
            "swift",
            ["symbolgraph-extract", "-module-name", module] + Project.moduleFlags + [
                "-target", try Self.target(), "-minimum-access-level", "public",
                "-skip-synthesized-members", "-output-dir", folder.root.path,
            ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        let data = try Data(contentsOf: folder.url("\(module).symbols.json"))
        self = try JSONDecoder().decode(SymbolGraph.self, from: data)
    }

    /// What the compiler builds for unless told otherwise.
    private static func target() throws -> String {
        struct Information: Decodable {
            struct Target: Decodable { let unversionedTriple: String }
            let target: Target
        }
        let text = try Shell.run("swiftc", ["-print-target-info"]).output
        return try JSONDecoder().decode(Information.self, from: Data(text.utf8)).target.unversionedTriple
    }
}
