import Foundation
import Testing

/// Clients that watch a loop which is too fast to keep all of it.
@Suite(.timeLimit(.minutes(5))) struct FastLoopTests {
    @Test func `Each step is sent or counted as skipped, and the last state is known`() throws {
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

            """)
        let watcher = try LineClient(host.socket)
        _ = watcher.line()
        _ = watcher.ask(#"{"request":"hello","version":2}"#)
        #expect(watcher.ask(#"{"request":"watch","steps":true}"#) == #"{"ok":true}"#)
        let writer = try LineClient(host.socket)
        _ = writer.line()
        let all = 200_001
        #expect(
            writer.ask(#"{"request":"send","event":"go","payload":{"limit":200000}}"#)?.contains("queued")
                == true)
        var (sent, skipped, last) = (0, 0, 0)
        while sent + skipped < all {
            let line = try #require(watcher.line())
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            skipped += object["skipped"] as? Int ?? 0
            guard let step = (object["step"] as? [String: Any])?["step"] as? Int else { continue }
            #expect(step > last)
            (sent, last) = (sent + 1, step)
        }
        #expect(sent + skipped == all)
        let state = watcher.ask(#"{"request":"at","loop":"main","step":200001}"#)
        #expect(state?.contains(#""n":200000"#) == true, "\(state ?? "")")
        // The next step is seen as any other.
        #expect(
            writer.ask(#"{"request":"send","event":"go","payload":{"limit":0}}"#)?.contains("queued") == true)
        #expect(watcher.line()?.contains(#""step":200002"#) == true)
    }
}
