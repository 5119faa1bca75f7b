import Foundation
import Testing
import TestSupport

struct NewCommandTests {
    @Test(arguments: [("minimal", 4), ("c", 11), ("swift", 11), ("pipeline", 5)])
    func project_checks_testsAndRuns(_ template: String, _ states: Int) throws {
        let folder = try TemporaryFolder()
        let made = try Spinhost.run("new", "my-app", "--template", template, in: folder)
        #expect(made.status == 0, "\(made.errors)")
        let parts = made.output.split(separator: "now type: ")
        #expect(parts.first == "made my-app; ")
        let path = "\(Project.products.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        let command = (parts.last ?? "").dropLast()
        let run = try Shell.run(
            "bash", ["-c", "\(command) --steps 2>steps"], in: folder.root, environment: ["PATH": path])
        let errors = (try? String(contentsOf: folder.url("my-app/steps"), encoding: .utf8)) ?? ""
        #expect(run.status == 0, "\(run.output)\(errors)")
        #expect((run.output + errors).contains("main  #\(states - 1)  "), "\(run.output)\(errors)")
        for verb in ["check", "test", "graph"] {
            let outcome = try Shell.run(Project.spinhost, [verb], in: folder.url("my-app"))
            #expect(outcome.status == 0 && outcome.errors == "", "\(verb): \(outcome.errors)")
        }
        let format = try Shell.run(Project.spinhost, ["fmt", "--check"], in: folder.url("my-app"))
        #expect((format.status, format.output, format.errors) == (0, "", ""))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url("my-app").path)
        #expect(files.contains("README.md") && files.contains("spinhost.schema.json"))
    }

    @Test func whatIsThereAlready_isLeftAlone() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "mine")
        for name in ["file", "made"] {
            if name == "made" { #expect(try Spinhost.run("new", "made", in: folder).status == 0) }
            let outcome = try Spinhost.run("new", name, in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors == "error: `\(name)` already exists; choose another name\n")
        }
        #expect(try String(contentsOf: folder.url("file"), encoding: .utf8) == "mine")
    }

    @Test(arguments: ["", "..", "a/b", "-x", "ä", "a b", String(repeating: "a", count: 65)])
    func namesThatNoAppHas_areRefused(_ name: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Spinhost.run("new", "--", name, in: folder)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("cannot be a project's name"), "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.root.path).isEmpty)
    }

    @Test func unknownTemplate_isExit64_withTheOnesThereAre() throws {
        let outcome = try Spinhost.run("new", "x", "--template", "java")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("minimal"), "\(outcome.errors)")
    }
}
