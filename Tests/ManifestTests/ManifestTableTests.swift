import Foundation
import Manifest
import Testing

@Suite struct ManifestTableTests {
    @Test func everyKeyIsDocumented() {
        #expect(Set(ManifestTable.allCases.map(\.path)).count == ManifestTable.allCases.count)
        for table in ManifestTable.allCases {
            for field in table.fields + (table.named.map { [$0] } ?? []) {
                let doc = field.doc
                #expect(doc.first?.isUppercase == true || doc.first == "`", "\(table.path) \(field.name)")
                #expect(doc.last == "." && !field.form.words.isEmpty, "\(table.path) \(field.name)")
            }
        }
    }

    @Test func everyKeyThatIsNotSupportedYetIsRefused() throws {
        for table in ManifestTable.allCases {
            for field in table.fields where !field.isSupported {
                let file = Fixture.expectation("not-supported-yet")
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(text.contains("`\(field.name)` is not supported yet"), "\(table.path) \(field.name)")
            }
        }
    }
}
