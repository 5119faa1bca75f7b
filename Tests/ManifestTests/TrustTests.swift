import Diagnostics
import Foundation
import Manifest
import TestSupport
import Testing

/// What `dev` makes of keys that pin and lock libraries.
@Suite struct TrustTests {
    private func load(sha256: String, isDevelopment: Bool) throws -> Manifest.Loaded {
        let library = try Fixture.shared.get().folder.url("plain.so").path
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "app.toml",
            """
            app.lock = true
            [plugins.plain]
            library  = "\(library)"
            declares = "int add(int a, int b);"
            sha256   = "\(sha256)"
            [loops.main]

            """)
        return Manifest.load(
            path: path, standardPlugin: Fixture.standardPlugin, isDevelopment: isDevelopment)
    }

    @Test func `dev takes any library, and the same one after its hash was written down`() throws {
        let zeros = String(repeating: "0", count: 64)
        let refused = try load(sha256: zeros, isDevelopment: false)
        #expect(refused.diagnostics.map(\.code.rawValue) == ["P070"])
        let taken = try [zeros, String(repeating: "1", count: 64)].map { hash in
            let loaded = try load(sha256: hash, isDevelopment: true)
            #expect(loaded.diagnostics.map(\.code.rawValue) == ["M077", "M077"])
            let manifest = try #require(loaded.manifest)
            #expect(!manifest.isLocked && manifest.plugins[0].sha256 == nil)
            return manifest.plugins[0]
        }
        #expect(taken[0].declared == taken[1].declared)
    }

    @Test func `a hash that is no hash is refused under dev, too`() throws {
        #expect(
            try load(sha256: "00", isDevelopment: true).diagnostics.contains { $0.code.rawValue == "M076" })
    }
}
