import Foundation
import TestSupport
import Testing

/// The file of `spin:http`, as the commands about plugins see it.
@Suite(.timeLimit(.minutes(10))) struct HttpPluginTests {
    @Test func `it breaks no rule for plugins`() throws {
        let outcome = try Spinhost.run(
            "plugin", "check", "spin:http", "--call", "--seed", "7", "--only-failed")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output == "63 rules: 62 passed, 1 skipped; seed 7\n")
    }

    @Test func `info finds it by its name`() throws {
        let outcome = try Spinhost.run("plugin", "info", "spin:http")
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.output.hasPrefix("http 1.0.0, for ABI 2.0\n"))
    }

    @Test(arguments: ["info", "check"])
    func `a name that is unknown is an error with those that are known`(_ verb: String) throws {
        let outcome = try Spinhost.run("plugin", verb, "spin:htpp")
        #expect(outcome.status == 66 && outcome.output.isEmpty)
        #expect(
            outcome.errors == """
                error[P018]: no plugin `htpp` comes with the host
                  = help: did you mean `spin:http`?
                  = help: these do: `spin:files`, `spin:gpio`, `spin:http`, `spin:mqtt`, `spin:nats`, `spin:net`, \
                `spin:postgres`, `spin:redis`, `spin:serial`, `spin:serve`, `spin:sqlite`
                  = help: for a file with this name, write `./spin:htpp`

                """)
    }
}
