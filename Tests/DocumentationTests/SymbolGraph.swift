import Foundation
import TestSupport
import Testing

/// The public symbols of a module of this build, its extensions included, without what the compiler makes of conformances.
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
        // One file has the module's own symbols; the others have its extensions of other modules' types.
        let files = try FileManager.default.contentsOfDirectory(
            at: folder.root, includingPropertiesForKeys: nil)
        symbols = try files.sorted { $0.path < $1.path }.filter { $0.path.hasSuffix(".symbols.json") }.flatMap
        {
            try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: $0)).symbols
        }
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
