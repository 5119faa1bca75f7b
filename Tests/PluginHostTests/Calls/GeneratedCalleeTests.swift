import Diagnostics
import Interfaces
import PluginHost
import Records
import TestSupport
import Testing

/// Calls of functions of random types: what arrives is compared in C, what comes back here.
@Suite struct GeneratedCalleeTests {
    @Test(arguments: [UInt64(1), 2])
    func `calls of random signatures carry every byte both ways`(_ seed: UInt64) throws {
        let callee = GeneratedCallee(seed: seed, functions: 150)
        let host = try TestHost()
        let image = try host.open(
            path: try PluginFixture.path(source: callee.source, as: "generated\(seed).c"))
        let declared = CDeclarations(parsing: callee.declarations)
        #expect(declared.faults.map(\.message) == [])
        let wrong = try prepare(
            try CFunction(parsing: "uint64_t wrong_arguments(void)"),
            at: image.address(of: "wrong_arguments"),
            [])
        for function in callee.functions {
            let declaration = try #require(declared.function(function.name))
            let call = try prepare(
                declaration, at: image.address(of: function.name), function.arguments,
                release: function.freesResult ? try image.address(of: "free") : nil)
            // The memory of a call is used again.
            for _ in 0..<2 {
                try call.invoke()
                try wrong.invoke()
                #expect(outcome(wrong)["result"] == .uint(0), "seed \(seed): \(declaration.text)")
                let found = outcome(call)
                #expect(found["result"] == function.result, "seed \(seed): \(declaration.text)")
                for (name, value) in function.outs {
                    #expect(found["out"]?[name] == value, "seed \(seed): \(name) of \(declaration.text)")
                }
            }
        }
    }
}
