import Foundation
import Sandbox
import Testing
import TestSupport

/// A library in Swift, with the runtime's threads.
@Suite(.enabled(if: Kernel.hasLandlock, Kernel.reason))
struct SwiftRuntimeTests {
    private static let source = """
        import Glibc
        import Synchronization

        let isDone = Atomic(false)

        @_cdecl("attempt")
        public func attempt(_ argument: UnsafePointer<CChar>) {
            Task.detached {
                let sum = await withTaskGroup(of: Int.self) { group in
                    for number in 1...10 { group.addTask { number * number } }
                    return await group.reduce(0, +)
                }
                print(["b": 2, "a": 1].keys.sorted(), sum, "größe".uppercased())
                fflush(stdout)
                isDone.store(true, ordering: .releasing)
            }
            while !isDone.load(ordering: .acquiring) { sched_yield() }
        }
        """

    @Test func library_inSwift_works() throws {
        let folder = try TemporaryFolder()
        let source = try folder.write("library.swift", Self.source)
        let library = folder.url("library.so").path
        let compiled = try Shell.run("swiftc", ["-emit-library", "-o", library, source])
        try #require(compiled.status == 0, "\(compiled.errors)")
        let words = ["--sees-processes", "yes", "--library", folder.root.path, library, "attempt"]
        let outcome = try Shell.run(SandboxedProcess.program, words)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "")
        #expect(outcome.output == "[\"a\", \"b\"] 385 GRÖSSE\n")
    }
}
