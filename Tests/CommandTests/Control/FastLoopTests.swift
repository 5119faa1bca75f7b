import Foundation
import Testing

/// Clients that watch a loop which is too fast to keep all of it.
@Suite(.timeLimit(.minutes(10))) struct FastLoopTests {
    @Test func `Each step is sent or counted as skipped, and the fault and the last state are known`() throws
    {
        let host = try ControlledHost(
            """
            app.name = "door"
            app.stay = true
            [plugins.libc]
            library  = "libc.so.6"
            declares = "long labs(long n);"
            [loops.main]
            state  = { n = 0, limit = 0 }
            events = { go = { limit = "int" }, moved = { to = "int" } }
            on.go    = { set = { limit = "event.limit" } }
            on.moved = { set = { n = "event.to" } }
            [loops.main.feedback.step]
            effect = "libc:labs"
            when   = "state.n < state.limit"
            args   = ["state.n + 1"]
            emit   = { event = "moved", to = "result" }
            [loops.main.feedback.oops]
            effect = "libc:labs"
            when   = "state.n == 100000"
            args   = ["10 / (state.n - 100000)"]

            """)
        let watcher = try LineClient(version2At: host.socket)
        #expect(watcher.ask(#"{"request":"watch","steps":true,"faults":true}"#) == #"{"ok":true}"#)
        let writer = try LineClient(version2At: host.socket)
        let all = 200_001
        #expect(
            writer.ask(#"{"request":"send","event":"go","payload":{"limit":200000}}"#)?.contains("queued")
                == true)
        var (sent, faults, skipped, last) = (0, 0, 0, 0)
        while sent + faults + skipped < all + 1 {
            let line = try #require(watcher.line())
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            skipped += object["skipped"] as? Int ?? 0
            if let fault = object["fault"] as? [String: Any] {
                #expect(fault["origin"] as? String == "feedback:oops" && fault["step"] as? Int == 100_001)
                faults += 1
            }
            guard let step = (object["step"] as? [String: Any])?["step"] as? Int else { continue }
            #expect(step > last)
            (sent, last) = (sent + 1, step)
        }
        #expect(sent + faults + skipped == all + 1 && faults == 1)
        let state = watcher.ask(#"{"request":"at","loop":"main","step":200001}"#)
        #expect(state?.contains(#""n":200000"#) == true, "\(state ?? "")")
        // The next steps are seen as any others, and with the next run all runs are counted.
        #expect(
            writer.ask(#"{"request":"send","event":"go","payload":{"limit":200001}}"#)?.contains("queued")
                == true)
        #expect(watcher.line()?.contains(#""step":200002"#) == true)
        #expect(watcher.line()?.contains(#""step":200003"#) == true)
        let counters = writer.ask(#"{"request":"counters","loop":"main"}"#) ?? ""
        #expect(counters.contains(#""external":{"handled":2,"#), "\(counters)")
        #expect(counters.contains(#""feedback":{"handled":200001,"#), "\(counters)")
        #expect(
            counters.contains(
                #""feedback":"step","plugin":"libc","running":0,"began":200001,"ended":200001,"#))
    }
}
