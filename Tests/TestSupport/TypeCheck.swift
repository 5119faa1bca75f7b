import Foundation

/// Type-checks source text that uses the modules of this build.
public enum TypeCheck {
    /// The messages of the errors in `source`, each once and in order; empty when it compiles.
    public static func errors(in source: String) throws -> [String] {
        let folder = try TemporaryFolder()
        let file = folder.url("source.swift")
        try Data(source.utf8).write(to: file)
        let outcome = try Shell.run(
            "swiftc",
            ["-typecheck", "-swift-version", "6"] + Project.moduleFlags + [file.path])
        var seen: Set<String> = []
        return outcome.errors.split(separator: "\n").compactMap { line in
            guard line.hasPrefix(file.path), let error = line.range(of: " error: ") else { return nil }
            return String(line[error.upperBound...])
        }
        .filter { seen.insert($0).inserted }
    }
}
