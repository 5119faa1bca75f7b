import Foundation
import TestSupport

/// A file of `Tests/Fixtures/sandbox`, whose functions try something.
enum Attempts: String, CaseIterable {
    case files, sockets, processes, allowed

    /// A folder with all of them as libraries, compiled once.
    static let folder = Result {
        let folder = try TemporaryFolder()
        let sources = Project.root.appendingPathComponent("Tests/Fixtures/sandbox")
        for file in allCases {
            let source = sources.appendingPathComponent("\(file.rawValue).c")
            _ = try CCompiler().sharedObject(
                try String(contentsOf: source, encoding: .utf8), in: folder, as: "\(file.rawValue).so",
                flags: ["-I\(sources.path)", "-pthread", "-w"])
        }
        return folder
    }

    func library() throws -> String { try Self.folder.get().url("\(rawValue).so").path }
}
