import Foundation
import TestSupport
import Testing

/// `spinhost fmt`. `ManifestFormatterTests` has what it makes of a text.
struct FmtCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.url(name)), as: UTF8.self)
    }

    /// Runs `fmt`, and expects this outcome.
    private func expect(
        _ arguments: String..., input: String = "", status: Int32 = 0, output: String = "",
        errors: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try Shell.run(
            Project.spinhost, ["fmt"] + arguments, in: folder.root, input: input)
        #expect(
            (outcome.status, outcome.output, outcome.errors) == (status, output, errors),
            sourceLocation: sourceLocation)
    }

    @Test func manifest_isFormattedInPlace_once() throws {
        try folder.write("app.toml", "a=1\nlong=2 #x\n")
        try expect(output: "app.toml\n")
        let formatted = "a    = 1\nlong = 2\(String(repeating: " ", count: 33))#x\n"
        #expect(try text("app.toml") == formatted)
        let file = try FileManager.default.attributesOfItem(atPath: folder.url("app.toml").path)
        try expect()
        try expect("--check")
        let same = try FileManager.default.attributesOfItem(atPath: folder.url("app.toml").path)
        #expect(file[.systemFileNumber] as? NSNumber == same[.systemFileNumber] as? NSNumber)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root.path) == ["app.toml"])
    }

    @Test func includedFiles_areFormattedToo() throws {
        try folder.write("other.toml", "include=['parts/*.toml','more.toml']\n")
        try folder.write("parts/b.toml", "b=1\n")
        try folder.write("parts/a.toml", "a = 1\n")
        try folder.write("more.toml", "c=1\n")
        try folder.write("apart.toml", "d=1\n")
        let names = "other.toml\nparts/b.toml\nmore.toml\n"
        try expect("--check", "--manifest", "other.toml", status: 1, output: names)
        #expect(try text("more.toml") == "c=1\n")
        let outcome = try Spinhost.run("--manifest", "other.toml", "fmt", in: folder)
        #expect((outcome.status, outcome.output, outcome.errors) == (0, names, ""))
        #expect(try text("other.toml") == "include = ['parts/*.toml', 'more.toml']\n")
        #expect(try text("parts/b.toml") == "b = 1\n")
        #expect(try text("more.toml") == "c = 1\n" && text("apart.toml") == "d=1\n")
    }

    @Test func filesOutsideOfTheFolder_areFormattedOnlyByName() throws {
        try folder.write("app/app.toml", "include=['../shared.toml','linked.toml','parts/p.toml']\n")
        try folder.write("app/parts/p.toml", "p=1\n")
        try folder.write("shared.toml", "s=1\n")
        try folder.write("real.toml", "r=1\n")
        try FileManager.default.createSymbolicLink(
            atPath: folder.url("app/linked.toml").path, withDestinationPath: "../real.toml")
        try expect(
            "--manifest", "app/app.toml", output: "app/app.toml\napp/parts/p.toml\n",
            errors: """
                note: `app/../shared.toml` is outside of the manifest's folder; name it to format it, too
                note: `app/linked.toml` is outside of the manifest's folder; name it to format it, too

                """)
        #expect(try text("shared.toml") == "s=1\n" && text("real.toml") == "r=1\n")
        try expect("shared.toml", "app/linked.toml", output: "shared.toml\napp/linked.toml\n")
        #expect(try text("shared.toml") == "s = 1\n" && text("real.toml") == "r = 1\n")
    }

    @Test func filesThatAreNamed_areAll() throws {
        try folder.write("a.toml", "include=['c.toml']\n")
        try folder.write("b.toml", "b = 1\n")
        try folder.write("c.toml", "c=1\n")
        try expect("--check", "a.toml", "b.toml", status: 1, output: "a.toml\n")
        try expect("a.toml", "b.toml", output: "a.toml\n")
        #expect(try text("c.toml") == "c=1\n")
    }

    @Test func input_isFormattedToTheOutput() throws {
        try expect("-", input: "a=1", output: "a = 1\n")
        try expect("-", input: "a=1\r\n\r\n\r\nb=2", output: "a = 1\r\n\r\nb = 2\r\n")
        try expect("-", input: "", output: "")
        try expect("--check", "-", input: "a = 1\n")
        try expect("--check", "-", input: "a=1\n", status: 1, output: "stdin\n")
        try expect(
            "-", input: "a\n", status: 78,
            errors: """
                error[T001]: expected `=`, saw `\\n` in a key-value pair
                 --> stdin:1:2
                  |
                1 | a
                  |  ^

                error: 1 fault in stdin

                """)
        let large = try Shell.run(
            Project.spinhost, ["fmt", "-"], input: String(repeating: "#", count: 4 << 20 + 1))
        #expect((large.status, large.output) == (78, ""))
        #expect(large.errors.hasPrefix("error[M005]: `stdin` is larger than 4 MiB\n"))
    }

    @Test func inputWithoutEnd_isRefused() throws {
        let outcome = try Shell.run(
            "bash", ["-c", "yes | \"$0\" fmt -; echo ${PIPESTATUS[1]}", Project.spinhost])
        #expect(outcome.output == "78\n")
        #expect(outcome.errors.hasPrefix("error[M005]: `stdin` is larger than 4 MiB\n"))
    }

    @Test func filesThatCannotBeFormatted_stay_andTheOthersAreFormatted() throws {
        try folder.write("app.toml", "include=['none.toml', 'b.toml']\n")
        try folder.write("a.toml", "a={\n")
        try folder.write("b.toml", "b=1\n")
        let fault = """
            error[T006]: an inline table must end on the line that it starts on
             --> a.toml:1:4
              |
            1 | a={
              |    ^
              = help: write it on one line, or as a header with a line for each key

            error: 1 fault in a.toml

            """
        try expect("a.toml", "--check", "b.toml", status: 78, output: "b.toml\n", errors: fault)
        try expect("a.toml", "b.toml", status: 78, output: "b.toml\n", errors: fault)
        #expect(try text("a.toml") == "a={\n" && text("b.toml") == "b = 1\n")
        try expect(
            status: 66, output: "app.toml\n",
            errors: """
                error[M001]: there is no file `none.toml`
                 --> app.toml:1:10
                  |
                1 | include=['none.toml', 'b.toml']
                  |          ^^^^^^^^^^^
                  = help: the path counts from the folder of the manifest

                error: 1 fault in app.toml

                """)
        let missing = """
            error[M001]: there is no file `none.toml`

            error: 1 fault in none.toml

            """
        try expect("a.toml", "none.toml", status: 66, errors: fault + missing)
        try expect(
            "--manifest", "none.toml", status: 66,
            errors: missing.replacingOccurrences(
                of: "`\n", with: "`\n  = help: name the file with `--manifest`\n"))
        try Data([UInt8(ascii: "a"), 0xFF]).write(to: folder.url("bytes.toml"))
        let bytes = try Spinhost.run("fmt", "bytes.toml", in: folder)
        #expect(bytes.status == 78 && bytes.errors.hasPrefix("error[M006]: "))
        let directory = try Spinhost.run("fmt", ".", in: folder)
        #expect(directory.status == 66 && directory.errors.hasPrefix("error[M002]: `.` is a folder\n"))
    }

    @Test func wrongOptions_areRefused() throws {
        for arguments in [["--manifest", "a.toml", "b.toml"], ["-", "a.toml"], ["--steps"]] {
            let outcome = try Shell.run(Project.spinhost, ["fmt"] + arguments, in: folder.root)
            #expect(outcome.status == 64 && outcome.output == "", "\(arguments)")
        }
    }
}
