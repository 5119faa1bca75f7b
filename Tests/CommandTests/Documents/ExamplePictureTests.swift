import Foundation
import TestSupport
import Testing

/// The picture in the README of an example is the one that `spinhost graph` draws of its manifest.
///
/// `SPIN_REGENERATE=1 script/test --filter ExamplePictureTests` puts what is drawn now into the pages.
struct ExamplePictureTests {
    @Test(arguments: ["bridge", "guestbook", "sitewatch"])
    func thePictureIsThatOfTheManifest(_ example: String) throws {
        let page = "examples/\(example)/README.md"
        let drawn = try Spinhost.run("graph", "--manifest", Spinhost.example(example))
        #expect(drawn.status == 0 && drawn.errors.isEmpty, "\(drawn.errors)")
        let pictures = try CodeBlock.all(in: page).filter { $0.language == "mermaid" }
        let picture = try #require(pictures.count == 1 ? pictures.first : nil)
        if Project.isRegenerating {
            let file = Project.root.appendingPathComponent(page)
            let text = try String(contentsOf: file, encoding: .utf8)
            try Data(text.replacing(picture.text, with: drawn.output).utf8).write(to: file)
        } else {
            #expect(picture.text == drawn.output)
        }
    }
}
