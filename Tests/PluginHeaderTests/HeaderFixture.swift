import Diagnostics
import Foundation
import Interfaces
import Manifest
import PluginHeader
import TestSupport

/// Headers of manifests, and compilers for them.
enum HeaderFixture {
    struct Faulty: Error, CustomStringConvertible {
        let description: String
    }

    private static let standardPlugin = try! PluginDescription(notes: [
        PluginNote(.plugin, ["2.0", "std", "1.0.0"])
    ])

    static let folder = Project.root.appendingPathComponent("Tests/Fixtures/headers")

    /// The declarations of a manifest.
    static func manifest(_ path: String) throws -> Manifest {
        let loaded = Manifest.loadDeclarations(path: path, standardPlugin: standardPlugin)
        guard let manifest = loaded.manifest else {
            throw Faulty(description: DiagnosticRenderer().render(loaded.diagnostics, in: path))
        }
        return manifest
    }

    /// The compilers of this machine, in C and in C++.
    static let compilers: [[String]] = {
        let known = [
            ("gcc", "c11", "c"), ("g++", "c++17", "c++"), ("clang", "c11", "c"), ("clang++", "c++17", "c++"),
        ]
        return known.compactMap { name, standard, language in
            guard let found = try? Shell.run("which", [name]), found.status == 0 else { return nil }
            return [name, "-std=\(standard)", "-x", language]
        }
    }()

    static let flags = [
        "-Wall", "-Wextra", "-pedantic", "-Werror", "-I\(Project.root.path)/Sources/CPluginABI/include",
    ]
}
