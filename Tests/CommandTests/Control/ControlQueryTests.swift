import Foundation
import TestSupport
import Testing

/// What clients ask about steps and runs.
@Suite(.timeLimit(.minutes(10))) struct ControlQueryTests {
    @Test func `A filter that is no expression, or reads what does not exist, is refused`() throws {
        let host = try ControlledHost()
        let client = try LineClient(version2At: host.socket)
        for request in [
            #"{"request":"steps","filter":"("}"#,
            #"{"request":"steps","filter":"stat.times > 1"}"#,
            #"{"request":"watch","steps":true,"filter":"state.tims > 1"}"#,
            #"{"request":"watch","steps":true,"filter":"before.tims > 1"}"#,
            #"{"request":"watch","steps":true,"filter":"payload.bye == 'Ada'"}"#,
        ] {
            let answer = client.ask(request)
            #expect(answer?.contains(#""code":"invalid-filter""#) == true, "\(request): \(answer ?? "")")
        }
        // Steps of the past may come from another manifest, and a filter may ask whether there is a field.
        for request in [
            #"{"request":"steps","filter":"state.tims > 1"}"#,
            #"{"request":"watch","steps":true,"filter":"has(state.tims) || payload.by == 'Ada'"}"#,
            #"{"request":"watch","steps":true,"filter":"[1].exists(state, state > 0) && before != state"}"#,
        ] {
            let answer = client.ask(request)
            #expect(answer?.hasPrefix(#"{"ok":true"#) == true, "\(request): \(answer ?? "")")
        }
    }

    @Test func `A filter reads the case of a state`() throws {
        let host = try ControlledHost(
            """
            app.name = "door"
            [loops.door]
            initial = "shut"
            states  = { shut = {}, open = { by = "" } }
            events  = { pushed = { by = "string" }, closed = {} }
            on.pushed = { to = "open", set = { by = "event.by" } }
            on.closed = { to = "shut" }

            """)
        let watcher = try LineClient(version2At: host.socket)
        let watch = #"{"request":"watch","steps":true,"filter":"state.case == 'shut' && before.by == 'Ada'"}"#
        #expect(watcher.ask(watch) == #"{"ok":true}"#)
        let refused = watcher.ask(#"{"request":"watch","steps":true,"filter":"state.cse == 'shut'"}"#)
        #expect(refused?.contains("did you mean `case`?") == true, "\(refused ?? "")")
        let writer = try LineClient(host.socket)
        _ = writer.line()
        for event in [#""pushed","payload":{"by":"Ada"}"#, #""closed""#] {
            #expect(writer.ask(#"{"request":"send","event":\#(event)}"#)?.contains("queued") == true)
        }
        #expect(watcher.line()?.contains(#""step":2"#) == true)
    }

    @Test func `The runs that last are known with their arguments, if they began while the loop was watched`()
        throws
    {
        let host = try ControlledHost(
            """
            app.name = "door"
            [plugins.libc]
            library  = "libc.so.6"
            declares = "int usleep(unsigned int microseconds);"
            [loops.door]
            state  = { on = false }
            events = { go = { wait = "int" } }
            on.go  = { set = { on = "true" } }
            [loops.door.feedback.nap]
            on       = "go"
            effect   = "libc:usleep"
            args     = ["event.wait"]
            executor = "pool"
            [loops.door.feedback.tick]
            when   = "state.on"
            effect = "std:every"
            args   = ["90s"]
            emits.ticked = []
            [loops.door.feedback.early]
            effect = "std:every"
            args   = ["2h"]
            emits.ticked = []

            """)
        let client = try LineClient(version2At: host.socket)
        #expect(client.ask(#"{"request":"watch","loop":"door","runs":true}"#) == #"{"ok":true}"#)
        let writer = try LineClient(host.socket)
        _ = writer.line()
        let send = #"{"request":"send","event":"go","payload":{"wait":600000000}}"#
        #expect(writer.ask(send)?.contains("queued") == true)
        for name in ["nap", "tick"] {
            #expect(client.line()?.contains(#""feedback":"\#(name)","number":1,"state":"began""#) == true)
        }
        var runs = ""
        // A thread of the pool makes the call after the run has begun.
        try blockUntil {
            runs = client.ask(#"{"request":"runs"}"#) ?? ""
            return runs.contains("microseconds")
        }
        #expect(runs.contains(#""args":{"microseconds":600000000}"#), "\(runs)")
        #expect(runs.contains(#""args":{"interval":"90s"}"#), "\(runs)")
        #expect(runs.contains(#"{"loop":"door","feedback":"early","number":1}"#), "\(runs)")
    }
}
