import Diagnostics
import Foundation
import Manifest
import Sandbox
import TestSupport
import Testing

@testable import App

/// What `spinhost check` says of rules that a kernel cannot keep.
struct SandboxFaultsTests {
    private func faults(_ app: String, of landlock: Int) throws -> [Diagnostic] {
        let folder = try TemporaryFolder()
        try folder.write(
            "app.toml",
            """
            \(app)
            [plugins.libm]
            library   = "libm.so.6"
            declares  = "double sqrt(double x);"
            isolation = "process"
            sandbox   = { connect = ["tcp:443"] }
            [plugins.libc]
            library   = "libc.so.6"
            declares  = "int abs(int n);"
            [loops.main]
            state = { x = 2.25 }
            feedback.root = { effect = "libm:sqrt", args = ["state.x"] }

            """)
        let loaded = App.loadManifest(path: folder.url("app.toml").path)
        return App.sandboxFaults(
            of: try #require(loaded.manifest),
            with: SandboxAbility(landlock: landlock, hasFilters: true, hasNotifications: true))
    }

    @Test func aKernelThatKeepsAll_isNoFault() throws { #expect(try faults("", of: 7).isEmpty) }

    @Test func aRuleThatTheKernelCannotKeep_isAnErrorAtThePlugin() throws {
        let faults = try faults("", of: 3)
        let fault = try #require(faults.first)
        #expect(faults.count == 1 && fault.severity == .error && fault.code.rawValue == "R131")
        #expect(
            fault.message
                == "the kernel cannot keep the sandbox of `libm`: `connect` cannot be limited to `tcp:443` (Landlock 4, Linux 6.7)"
        )
        #expect(fault.place?.span.start.line == 5 && fault.help.count == 1)
    }

    @Test func withBestEffort_itIsAWarning() throws {
        let faults = try faults(#"app.sandbox = "best-effort""#, of: 0)
        #expect(faults.count == 2 && faults.allSatisfy { $0.severity == .warning && $0.help.isEmpty })
    }
}
