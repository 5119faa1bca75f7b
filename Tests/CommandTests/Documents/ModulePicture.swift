import Foundation
import TestSupport

/// The flowchart of a page's modules, and the modules that Package.swift declares.
struct ModulePicture {
    /// A module and one that it imports.
    struct Arrow: Hashable, CustomStringConvertible {
        let from: String
        let to: String

        var description: String { "\(from) --> \(to)" }
    }

    private(set) var arrows: [Arrow] = []
    /// From the lowest layer to the highest.
    private var layers: [Set<String>] = []

    var modules: Set<String> { layers.reduce(into: []) { $0.formUnion($1) } }

    /// Reads the page's Mermaid block: one `subgraph` for each layer, the highest first, and arrows `A --> B & C`.
    init(page: String) throws {
        for block in try CodeBlock.all(in: page) where block.language == "mermaid" {
            for line in block.text.split(separator: "\n").map({ $0.drop(while: \.isWhitespace) }) {
                if line.hasPrefix("subgraph ") {
                    layers.insert([], at: 0)
                } else if let bracket = line.firstIndex(of: "["), !layers.isEmpty {
                    layers[0].insert(String(line[..<bracket]))
                } else if let arrow = line.range(of: " --> ") {
                    let from = String(line[..<arrow.lowerBound])
                    arrows += line[arrow.upperBound...].components(separatedBy: " & ").map {
                        Arrow(from: from, to: $0)
                    }
                }
            }
        }
    }

    /// The number of a module's layer; -1 for a module that has no box.
    func layer(of module: String) -> Int { layers.firstIndex { $0.contains(module) } ?? -1 }

    /// The modules of `Sources` and those that they depend on, each with the modules of its `dependencies`.
    static func declaredModules() throws -> [String: Set<String>] {
        // Another build folder: the test's own is locked by the `swift test` that runs it.
        let scratch = try TemporaryFolder()
        let dump = try Shell.run(
            "swift", ["package", "--scratch-path", scratch.root.path, "dump-package"], in: Project.root)
        guard dump.status == 0 else { throw Failure(text: dump.errors) }
        let targets = try JSONDecoder().decode(Package.self, from: Data(dump.output.utf8)).targets
        let all = Dictionary(
            uniqueKeysWithValues: targets.map { ($0.name, Set($0.dependencies.compactMap(\.module))) })
        let modules = targets.filter { $0.path == nil && $0.type != "test" }.map(\.name)
        let used = modules.reduce(into: Set(modules)) { $0.formUnion(reachable(from: $1, in: all)) }
        return all.filter { used.contains($0.key) }
    }

    /// The dependencies that do not follow from others: `A --> C` follows from `A --> B` and `B --> C`.
    static func reduced(_ modules: [String: Set<String>]) -> [Arrow] {
        modules.flatMap { module, dependencies in
            dependencies.filter { dependency in
                !dependencies.contains {
                    $0 != dependency && reachable(from: $0, in: modules).contains(dependency)
                }
            }.map { Arrow(from: module, to: $0) }
        }
    }

    private static func reachable(from module: String, in modules: [String: Set<String>]) -> Set<String> {
        (modules[module] ?? []).reduce(into: []) {
            $0.insert($1)
            $0.formUnion(reachable(from: $1, in: modules))
        }
    }

    private struct Failure: Error { let text: String }

    /// What `swift package dump-package` prints, as far as it is used.
    private struct Package: Decodable {
        struct Target: Decodable {
            let name: String
            let type: String
            let path: String?
            let dependencies: [Dependency]
        }

        /// `{"byName": ["Records", null]}` is a module, `{"product": …}` is from another package.
        struct Dependency: Decodable {
            let byName: [String?]?

            var module: String? { byName?.first ?? nil }
        }

        let targets: [Target]
    }
}
