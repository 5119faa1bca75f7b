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
}
