import Foundation
import TestSupport
import Testing

/// Everything public is documented, and found from the landing page.
@Suite struct SymbolTests {
    private static let modules = ["HostLoop", "HostLoopFlow", "HostLoopVocabularies", "HostLoopTesting"]

    @Test(arguments: Self.modules)
    func publicSymbols_areDocumented(_ module: String) throws {
        let symbols = try SymbolGraph(of: module).symbols
        let undocumented = symbols.filter { $0.docComment == nil }.map {
            $0.pathComponents.joined(separator: ".")
        }
        #expect(undocumented == [])
        #expect(!symbols.isEmpty)
    }

    @Test(arguments: Self.modules)
    func publicSymbols_areTopicsOfTheLandingPage(_ module: String) throws {
        let page = try Article("Sources/\(module)/\(module).docc/\(module).md").text
        let names = try SymbolGraph(of: module).symbols.filter { $0.pathComponents.count == 1 }
            .map { $0.pathComponents[0] }
        // A link may go on with what tells overloads apart.
        let missing = names.filter { !page.contains("- ``\($0)``\n") && !page.contains("- ``\($0)-") }
        #expect(missing == [])
    }
}
