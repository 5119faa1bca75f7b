import Diagnostics
import Foundation
import Interfaces
import Manifest
import TestSupport
import Testing

/// Everything that a user reads about a faulty manifest, compared whole.
///
/// `SPIN_REGENERATE=1 script/test --filter ManifestTests` writes the files; read the difference before you commit
/// it.
@Suite struct DiagnosticSnapshotTests {
    @Test(arguments: Fixture.names)
    func saysWhatIsWrong(name: String) throws {
        let fixture = try Fixture.shared.get()
        let loaded = fixture.load(name)
        #expect((loaded.manifest != nil) == !loaded.diagnostics.contains { $0.severity == .error })
        let text = DiagnosticRenderer().render(loaded.diagnostics, in: "\(name).toml")
            .replacingOccurrences(of: fixture.folder.root.path + "/", with: "")
            .replacingOccurrences(of: ELFMachine.host.description, with: "THIS-MACHINE")
            .replacingOccurrences(of: Fixture.otherMachine.description, with: "ANOTHER-MACHINE")
        if Project.isRegenerating { try Data(text.utf8).write(to: Fixture.expectation(name)) }
        let expected = try String(contentsOf: Fixture.expectation(name), encoding: .utf8)
        #expect(text == expected, "\(name).expected")
    }

    @Test func everyCodeHasAnExample() throws {
        let texts = try Fixture.names.map { try String(contentsOf: Fixture.expectation($0), encoding: .utf8) }
            .joined()
        // Files that cannot be written down, what only a command line can say, what only `dev` says, and what only an app
        // says that does not start: tested by themselves.
        let elsewhere: Set<ManifestCode> = [
            .fileMissing, .fileNotRegular, .fileUnreadable, .fileTooLarge, .malformedOverride,
            .unknownConstant,
            .tooManyFaults, .ignoredInDevelopment, .includesNothing, .includesItself, .onlyInManifest,
        ]
        for code in ManifestCode.allCases where !elsewhere.contains(code) {
            #expect(texts.contains("[\(code.rawValue)]"), "\(code)")
        }
    }

    @Test func codesAreAllDifferent() {
        #expect(Set(ManifestCode.allCases.map(\.rawValue)).count == ManifestCode.allCases.count)
        #expect(Set(ManifestCode.allCases.map(\.meaning)).count == ManifestCode.allCases.count)
    }
}
