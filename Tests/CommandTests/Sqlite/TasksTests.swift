import Foundation
import TestSupport
import Testing

/// `examples/tasks`, whose database the next run finds.
@Suite(.timeLimit(.minutes(10))) struct TasksTests {
    @Test func `the tasks of one run are there in the next one`() throws {
        let folder = try TemporaryFolder()
        func run(_ lines: String) throws -> String {
            let outcome = try Spinhost.run(
                "--quiet", "--manifest", Spinhost.example("tasks"), in: folder, input: lines)
            #expect(outcome.status == 0, "\(outcome)")
            return outcome.output
        }
        #expect(try run("add buy milk\nadd sleep\ndone 1\n") == "1 buy milk\n2 sleep\n1 buy milk\n")
        #expect(try run("list\ndone 2\nlist\n") == "2 sleep\n2 sleep\nnothing\n")
    }

    @Test func `its tests hold`() throws {
        let outcome = try Spinhost.run("test", "--manifest", Spinhost.example("tasks"))
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
}
