import Foundation
import Testing
import TestSupport

/// `docs/architecture.md` shows the modules as Package.swift declares them, and names only what exists.
struct ArchitectureTests {
    private static let page = "docs/architecture.md"

    @Test func picture_hasEveryModule() throws {
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Project.root.appendingPathComponent("Sources").path)
        let picture = try ModulePicture(page: Self.page)
        #expect(Set(folders).isSubset(of: picture.modules))
        #expect(picture.modules == Set(try ModulePicture.declaredModules().keys))
    }

    @Test func arrows_areTheDependencies_thatFollowFromNoOthers() throws {
        let picture = try ModulePicture(page: Self.page)
        #expect(
            picture.arrows.map(\.description).sorted()
                == ModulePicture.reduced(try ModulePicture.declaredModules()).map(\.description).sorted())
    }

    @Test func arrows_pointToLowerLayers() throws {
        let picture = try ModulePicture(page: Self.page)
        #expect(picture.arrows.filter { picture.layer(of: $0.from) <= picture.layer(of: $0.to) } == [])
    }

    @Test func files_thatThePageNames_exist() throws {
        let paths = try Self.code().filter(Self.isPath)
        let found = paths.filter { path in
            ["", "Sources/"].contains {
                FileManager.default.fileExists(atPath: Project.root.appendingPathComponent($0 + path).path)
            }
        }
        #expect(paths.count > 20)
        #expect(paths.filter { !found.contains($0) } == [])
    }

    @Test func names_onThePage_areInTheCode() throws {
        let words = try Shell.run(
            "grep", ["-rohE", "[A-Za-z_]\\w*", "Sources", "plugins"], in: Project.root
        ).output.split(separator: "\n")
        let known = Set(words)
        let named = try Self.code().filter { !Self.isPath($0) }
            .flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" } }
        #expect(named.count > 50)
        #expect(named.filter { !known.contains($0) } == [])
    }

    @Test func glossary_hasEachWordOnce_inAlphabeticalOrder() throws {
        let words = try Self.lines().filter { $0.hasPrefix("- **") }.map {
            $0.dropFirst(4).prefix { $0 != "*" }
        }
        #expect(words.count > 40)
        #expect(words == Set(words).sorted())
    }

    private static func isPath(_ code: String) -> Bool { code.contains("/") || code.hasSuffix(".swift") }

    private static func lines() throws -> [Substring] {
        try String(contentsOf: Project.root.appendingPathComponent(page), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The code within the page's text, without that of the picture.
    private static func code() throws -> [String] {
        var isBlock = false
        return try lines().filter { line in
            if line.hasPrefix("```") { isBlock.toggle() }
            return !isBlock
        }.flatMap { line in
            line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
    }
}
