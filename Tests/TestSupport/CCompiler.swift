import Foundation

/// The platform's C compiler, for tests that compare with it or load its libraries.
public struct CCompiler: Sendable {
    /// The output of a compiler that failed.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// `cc`, or `c++` for sources that are C++.
    public let command: String

    public init(_ command: String = "cc") { self.command = command }

    /// Compiles a program and returns what it prints.
    public func output(of source: String) throws -> String {
        let folder = try TemporaryFolder()
        let program = try build(source, in: folder, as: "program", flags: [])
        return try Shell.run(program).output
    }

    /// Compiles a source into a shared object `name` in the folder and returns its path.
    public func sharedObject(
        _ source: String, in folder: TemporaryFolder, as name: String, flags: [String] = []
    ) throws -> String {
        try build(source, in: folder, as: name, flags: ["-shared", "-fPIC"] + flags)
    }

    private func build(
        _ source: String, in folder: TemporaryFolder, as name: String, flags: [String]
    ) throws -> String {
        let file = try folder.write(command == "cc" ? "\(name).c" : "\(name).cpp", source)
        let product = folder.url(name).path
        let outcome = try Shell.run(command, ["-O1", "-o", product, file] + flags)
        guard outcome.status == 0 else { throw Failure(description: outcome.errors) }
        return product
    }
}
