import Foundation
import Testing
import TestSupport

struct SchemaCommandTests {
    @Test func schema_isPrinted_theSameEachTime() throws {
        let outcome = try Spinhost.run("schema")
        #expect(outcome.status == 0 && outcome.errors == "")
        #expect(
            outcome.output.hasPrefix(
                "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"))
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) }
        #expect(try Spinhost.run("schema").output == outcome.output)
    }
}
