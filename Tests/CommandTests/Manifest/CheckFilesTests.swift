import Foundation
import TestSupport
import Testing

/// `spinhost check --files`
struct CheckFilesTests {
    @Test func filesAreListed_withThoseOutsideOfTheFolder() throws {
        let folder = try TemporaryFolder()
        try folder.write("app/app.toml", "include = [\"../shared.toml\", \"parts/*\", \"gone.toml\"]\n")
        try folder.write("shared.toml", "[loops.a]\nstate = { n = 0 }\nevents = {}\n")
        // Nothing in a name reaches the terminal as a command, or looks like another line.
        try folder.write("app/parts/b\n\u{1B}[31m.toml", "x-a = 1\n")
        let app = folder.root.appendingPathComponent("app")
        let real = try #require(
            Shell.run("realpath", ["shared.toml"], in: folder.root).output.split(separator: "\n").first)
        let listed = try Shell.run(Project.spinhost, ["check", "--files"], in: app)
        #expect(listed.output == "app.toml\n../shared.toml -> \(real)\nparts/b␊␛[31m.toml\ngone.toml\n")
        #expect(listed.status == 66 && listed.errors.contains("there is no file `gone.toml`"))
        let lines = try Shell.run(Project.spinhost, ["check", "--files", "--json"], in: app).output
            .split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(3) == [
                #"{"file":"app.toml"}"#, #"{"file":"../shared.toml","real":"\#(real)"}"#,
                #"{"file":"parts/b\n\u001b[31m.toml"}"#,
            ], "\(lines)")
    }
}
