import Foundation

/// Modules of this build as one library, for programs that tests compile.
public struct SwiftLibrary: Sendable {
    /// The message of a compiler or a program that failed.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private let folder: TemporaryFolder
    private static let name = "ModulesOfThisBuild"

    /// Links the object files that this build has compiled of the modules.
    public init(of modules: [String]) throws {
        folder = try TemporaryFolder()
        let objects = try modules.flatMap { module -> [String] in
            let build = Project.products.appendingPathComponent("\(module).build")
            return try Self.sources(of: module, in: build).map {
                build.appendingPathComponent("\($0).o").path
            }
        }
        let list = try folder.write("objects", objects.map { "\"\($0)\"" }.joined(separator: "\n"))
        try Self.compile(["-emit-library", "-o", folder.url("lib\(Self.name).so").path, "@\(list)"])
    }

    /// The names of a module's files. The build folder also keeps objects of files that no longer exist.
    private static func sources(of module: String, in build: URL) throws -> [String] {
        let list = build.appendingPathComponent("sources")
        guard FileManager.default.fileExists(atPath: list.path) else {
            let folder = Project.root.appendingPathComponent("Sources/\(module)")
            return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
                $0.hasSuffix(".c")
            }
        }
        return try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map {
            URL(fileURLWithPath: String($0)).lastPathComponent
        }
    }

    /// Compiles `source`, with top-level code, as a program that uses the modules, and returns what it
    /// prints.
    ///
    /// Warnings count as errors. A program that does not end within 30 seconds, or not with 0, is a failure.
    public func output(of source: String) throws -> String {
        let folder = try TemporaryFolder()
        let file = try folder.write("main.swift", source)
        let program = folder.url("program").path
        try Self.compile(
            ["-swift-version", "6", "-warnings-as-errors", "-module-name", "Program"] + Project.moduleFlags
                + [
                    "-L", self.folder.root.path, "-l\(Self.name)", "-Xlinker", "-rpath", "-Xlinker",
                    self.folder.root.path, "-o", program, file,
                ])
        let outcome = try Shell.run("timeout", ["--kill-after=5", "30", program])
        guard outcome.status == 0 else {
            throw Failure(
                description: "ended with \(outcome.status)\n\(outcome.output)\n\(outcome.errors)")
        }
        return outcome.output
    }

    private static func compile(_ arguments: [String]) throws {
        #if SPINHOST_TSAN
            let arguments = arguments + ["-sanitize=thread"]
        #endif
        let outcome = try Shell.run("swiftc", arguments)
        guard outcome.status == 0 else { throw Failure(description: outcome.errors) }
    }
}
