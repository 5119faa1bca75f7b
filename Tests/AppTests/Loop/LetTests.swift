import Diagnostics
import Manifest
import Testing
import TestSupport

@testable import App

/// Names for values: `let` of loops and of transitions.
struct LetTests {
    private static let bag = """
        app.name = "bag"
        [loops.bag]
        state  = { items = { type = "[string]" }, last = "", count = 0 }
        events = { put = { text = "string" }, cut = { from = "int" } }
        let    = { size = "size(state.items)", is_full = "size >= 3" }
        """

    @Test func namesOfALoop_areThoseOfItsState() throws {
        let machine = try Machine(
            """
            \(Self.bag)
            on.put = [{ if = "is_full", ignore = true }, { set = { items = "state.items + [event.text]", count = "size" } }]
            """)
        for text in ["a", "b", "c"] { try machine.send("put", #"{"text": "\#(text)"}"#) }
        // All values are computed from the old state.
        #expect(machine.state == #"{"items":["a","b","c"],"last":"","count":2}"#)
        #expect(try machine.send("put", #"{"text": "d"}"#) == ["put -"])
    }

    @Test func namesOfATransition_mayUseTheEvent_andOneAnother() throws {
        let machine = try Machine(
            """
            \(Self.bag)
            [loops.bag.on.put]
            let = { words = "event.text.split(' ')", longest = "words.sortBy(w, -size(w))[0]" }
            if  = "size(words) > 1"
            set = { items = "words", last = "longest", count = "size(words) + size" }
            """)
        #expect(try machine.send("put", #"{"text": "one"}"#) == ["put -"])
        try machine.send("put", #"{"text": "a long word"}"#)
        #expect(machine.state == #"{"items":["a","long","word"],"last":"long","count":3}"#)
        try machine.send("put", #"{"text": "x yz"}"#)
        #expect(machine.state == #"{"items":["x","yz"],"last":"yz","count":5}"#)
    }

    @Test func aRangeOfAddresses_hasAName_andTextsAreStored() throws {
        let machine = try Machine(
            """
            app.name = "door"
            [loops.door]
            state  = { last = "", inside = 0 }
            events = { knock = { from = "string" } }
            let    = { lan = "cidr('10.0.0.9/8')" }
            [loops.door.on.knock]
            cases = [
                { if = "!isIP(event.from)", ignore = true },
                { if = "lan.containsIP(event.from)", set = { last = "event.from", inside = "state.inside + 1" } },
                { set = { last = "string(ip(event.from)) + ' is not in ' + string(lan.masked())" } },
            ]
            """)
        try machine.send("knock", #"{"from": "10.1.2.3"}"#)
        #expect(machine.state == #"{"last":"10.1.2.3","inside":1}"#)
        try machine.send("knock", #"{"from": "2001:DB8::1"}"#)
        #expect(machine.state == #"{"last":"2001:db8::1 is not in 10.0.0.0/8","inside":1}"#)
        #expect(try machine.send("knock", #"{"from": "nobody"}"#) == ["knock -"])
    }

    @Test func casesOfAnEvent_shareItsNames_andHaveTheirOwn() throws {
        let machine = try Machine(
            """
            \(Self.bag)
            [loops.bag.on.put]
            let   = { kind = "event.text.substring(0, 1)" }
            cases = [
                { if = "kind == '+'", let = { rest = "event.text.substring(1)" }, set = { last = "rest + rest" } },
                { if = "kind == '-'", set = { last = "kind" } },
                { ignore = true },
            ]
            """)
        try machine.send("put", #"{"text": "+ab"}"#)
        #expect(machine.state.contains(#""last":"abab""#))
        try machine.send("put", #"{"text": "-ab"}"#)
        #expect(machine.state.contains(#""last":"-""#))
        #expect(try machine.send("put", #"{"text": "?"}"#) == ["put -"])
    }

    @Test func aValue_isComputedOnlyIfItIsUsed() throws {
        let machine = try Machine(
            """
            \(Self.bag)
            [loops.bag.on.cut]
            let = { first = "state.items[event.from]" }
            set = { last = "event.from < size(state.items) ? first : '-'" }
            """)
        try machine.send("cut", #"{"from": 5}"#)
        #expect(machine.state.contains(#""last":"-""#))
    }

    @Test func aFault_isShownWhereTheNameIsDefined() throws {
        let machine = try Machine(
            """
            \(Self.bag)
            [loops.bag.on.cut]
            let = { first = "state.items[event.from]" }
            set = { last = "first" }
            """)
        let told = try machine.send("cut", #"{"from": 0}"#)
        #expect(told.count == 1 && told[0].hasPrefix("cut ! index `0` is outside the list of 0 elements"))
        #expect(machine.state == #"{"items":[],"last":"","count":0}"#)
    }

    @Test func namesInCases_areOfEachCase() throws {
        let machine = try Machine(
            """
            app.name = "door"
            [loops.door]
            initial = "shut"
            shared  = { opened = 0 }
            states  = { shut = {}, open = { by = "" } }
            events  = { push = { who = "string" } }
            let     = { next = "state.opened + 1" }
            [loops.door.on]
            push = [
                { from = "shut", to = "open", set = { opened = "next", by = "event.who" } },
                { from = "open", let = { both = "state.by + event.who" }, to = "open", set = { opened = "next", by = "both" } },
            ]
            """)
        try machine.send("push", #"{"who": "a"}"#)
        try machine.send("push", #"{"who": "b"}"#)
        #expect(machine.state == #"{"case":"open","opened":2,"by":"ab"}"#, "\(machine.state)")
    }

    @Test func namesOfALoopWithAKey_areThoseOfEachInstance() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            """
            [loops.order]
            key      = "string"
            state    = { items = 0 }
            events   = { added = { n = "int" } }
            let      = { label = "key + string(state.items)" }
            on.added = { let = { more = "state.items + event.n" }, set = { items = "more" } }
            feedback.tell = { effect = "std:print", args = ["label"] }
            [loops.shop]
            state = { open = true }
            [loops.shop.feedback.place]
            when = "state.open"
            send = [
                { loop = "order", key = "'A'", event = "added", n = 1 },
                { loop = "order", key = "'B'", event = "added", n = 5 },
                { loop = "order", key = "'A'", event = "added", n = 1 },
            ]
            """)
        #expect(run.lines.filter { $0.hasPrefix("A") } == ["A0", "A1", "A2"])
        #expect(run.lines.filter { $0.hasPrefix("B") } == ["B0", "B5"])
    }

    @Test(arguments: ["event.text", "'a constant text'"])
    func valuesOfNames_areLimited(_ first: String) throws {
        // Each name is twice as long as the one before it.
        let names = (1...40).map { ", a\($0) = \"a\($0 - 1) + a\($0 - 1)\"" }.joined()
        let machine = try Machine(
            """
            \(Self.bag)
            [loops.bag.on.put]
            let = { a0 = "\(first)"\(names) }
            set = { count = "size(a40)" }
            """)
        let told = try machine.send("put", #"{"text": "0123456789abcdef"}"#)
        #expect(
            told.count == 1 && told[0].hasPrefix("put ! the names hold more than 1000000 elements"), "\(told)"
        )
        #expect(machine.state == #"{"items":[],"last":"","count":0}"#)
    }

    @Test func feedbacks_useTheNamesOfTheLoop() async throws {
        let run = RecordedRun()
        _ = try await run.run(
            """
            [loops.main]
            state  = { n = 0 }
            events = { told = {} }
            let    = { twice = "state.n * 2", is_over = "state.n >= 3" }
            on.told = { set = { n = "state.n + 1" } }
            until   = "is_over"
            [loops.main.feedback.tell]
            when   = "!is_over"
            effect = "std:print"
            args   = { text = "string(twice)" }
            emit   = { event = "told", if = "twice < 100" }
            """)
        #expect(run.lines == ["0", "2", "4"])
    }
}
