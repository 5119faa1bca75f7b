import Foundation
import TestSupport
import Testing

/// `spinhost state --counters`, with a host that listens.
@Suite(.timeLimit(.minutes(10))) struct CounterCommandTests {
    /// A loop that takes `asked`, fails for `divided` by zero and does not handle `odd`, and one that ends at once.
    private static let manifest = """
        app.name = "door"
        [loops.main]
        state  = { n = 8 }
        events = { asked = { n = "int" }, divided = { by = "int" }, odd = {} }
        on.asked   = { set = { n = "event.n" } }
        on.divided = { set = { n = "state.n / event.by" } }
        [loops.window]
        state  = { open = true }
        events = { shut = {} }
        until  = "!state.open"
        on.shut = { set = { open = "false" } }
        [loops.last]
        state  = { n = 0 }
        until  = "state.n == 1"

        """

    private func host() throws -> ControlledHost {
        let host = try ControlledHost(printing: Self.manifest)
        for _ in 0..<3 { #expect(host.program.nextLine().contains(#""step":0"#)) }
        for event in [["odd"], ["divided", "by=0"], ["odd"], ["shut"]] {
            let sent = try host.start("send", event[0], event.count > 1 ? event[1] : "{}")
            #expect(sent.nextLine() == "queued")
            #expect(sent.end().status == 0)
        }
        _ = host.program.nextLine(with: #""event":"shut""#)
        // The loop takes this event after all others.
        #expect(try host.spinhost("send", "asked", "n=3").output == "queued\n")
        _ = host.program.nextLine(with: #""event":"asked""#)
        return host
    }

    @Test func counters_areShownForEachLoop_andForTheApp() throws {
        let host = try host()
        // The second loop may still be about to stop, until it does not take an event any more.
        while try host.spinhost("send", "shut").output == "queued\n" {}
        #expect(
            try host.spinhost("state", "--counters").output == """
                main: 1 step, 3 events (2 unhandled), 0 drops, 1 fault
                window: 1 step, 1 event (1 refused), 0 drops, 0 faults
                last: 0 steps, 0 events, 0 drops, 0 faults
                all: 2 steps, 4 events (2 unhandled), 0 drops, 1 fault

                """)
        #expect(
            try host.spinhost("state", "--counters", "--loop", "main").output
                == "main: 1 step, 3 events (2 unhandled), 0 drops, 1 fault\n")
        #expect(host.end().errors.contains("stopped: 2 steps, 4 events, 0 drops, 1 fault in "))
    }

    @Test func json_hasEachCounter() throws {
        let host = try host()
        #expect(
            try host.spinhost("state", "--counters", "--json", "--loop", "main").output == """
                {"loop":"main","steps":1,"events":3,"unhandled":2,"withdrawn":0,"discarded":0,"drops":0,"late":0,"dropped":0,"droppedStarts":0,"refused":0,"faults":1}

                """)
        let all = try host.spinhost("state", "--counters", "--json").output.split(separator: "\n")
        #expect(all.count == 4)
        #expect(
            all.last
                == #"{"app":"door","steps":2,"events":4,"unhandled":2,"withdrawn":0,"discarded":0,"drops":0,"lostMessages":0,"faults":1,"swaps":0,"refusedSwaps":0,"failedSwaps":0,"rollBacks":0}"#
        )
        #expect(host.end().status == 0)
    }

    @Test func whatCannotBeCounted_isRefused() throws {
        let host = try host()
        let unknown = try host.spinhost("state", "--counters", "--loop", "windw")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("did you mean `window`?"), "\(unknown.errors)")
        for other in ["--watch", "--metrics"] {
            let usage = try host.spinhost("state", "--counters", other)
            #expect(usage.status == 64)
            #expect(usage.errors.contains("leave out `--watch`"), "\(usage.errors)")
        }
        #expect(host.end().status == 0)
    }
}
