import Foundation
import TestSupport
import Testing

/// The picture of an app in a page is the one that `spinhost graph` draws of its manifest.
///
/// `SPIN_REGENERATE=1 script/test --filter ExamplePictureTests` puts what is drawn now into the pages.
struct ExamplePictureTests {
    @Test(arguments: ["bridge", "guestbook", "sitewatch"])
    func thePictureIsThatOfTheManifest(_ example: String) throws {
        try compare("examples/\(example)/README.md", Spinhost.example(example))
    }

    @Test(arguments: ["device-sdk", "log-pipeline", "service"])
    func thePictureOfATutorialIsThatOfItsApp(_ tutorial: String) throws {
        let page = "docs/tutorials/\(tutorial).md"
        let app = try #require(CodeBlock.all(in: page).first { $0.file == "app.toml" })
        let folder = try TemporaryFolder()
        try compare(page, folder.write("app.toml", app.text))
    }

    @Test func thePictureOfTheFirstEffectIsThatOfItsTemplate() throws {
        let folder = try TemporaryFolder()
        #expect(try Spinhost.run("new", "half", "--template", "c", in: folder).status == 0)
        try compare("docs/tutorials/first-effect.md", folder.url("half/app.toml").path)
    }

    @Test func thePictureOfTheRulesIsThatOfTheLevels() throws {
        try compare("docs/loop.md", Spinhost.example("levels"))
    }

    private func compare(_ page: String, _ manifest: String) throws {
        let drawn = try Spinhost.run("graph", "--manifest", manifest)
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
