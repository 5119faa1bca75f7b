import Dispatch
import Manifest
import TestSupport
import Testing

/// Changed manifests in which the instances of a loop with a key cannot continue.
@Suite(.timeLimit(.minutes(10))) struct InstanceRefusalTests {
    @Test func aStateThatDoesNotFit_isRefusedWithItsInstance() async throws {
        let world = try ChangingWorld(ChangingWorld.item)
        for key: LoopKey in ["a", "b", "b", "b"] { try world.send(0, to: key) }
        await world.record.steps(6)
        let other = ChangingWorld.item.replacing("n = 0", with: "n = '0'").replacing("n + 1", with: "n + '1'")
        let narrow = ChangingWorld.item.replacing("n = 0", with: "n = { type = 'int', range = [0, 2] }")
        let refused = try await world.change(to: other)
        #expect(refused.count == 1)
        #expect(
            refused == [
                "P090 loop `item/a` cannot keep its state: its field `n` was `i64`, and is `string`"
            ])
        let outside = try await world.change(to: narrow)
        #expect(
            outside == [
                "P090 loop `item/b` cannot keep its state: its field `n` is 3, and its range is 0 to 2"
            ])
        // All is as before.
        try world.send(0, to: "b")
        await world.record.steps(7)
        #expect(try world.state("b") == #"{"key":"b","n":4}"#)
        _ = await world.end()
    }

    /// The loop that receives messages has no state of its own that must fit.
    @Test func aStateOfNoInstance_needNotFit() async throws {
        let world = try ChangingWorld(ChangingWorld.item)
        let other = ChangingWorld.item.replacing("n = 0", with: "n = '0'").replacing("n + 1", with: "n + '1'")
        #expect(try await world.change(to: other) == [])
        try world.send(0, to: "a")
        await world.record.steps(2)
        #expect(try world.state("a") == #"{"key":"a","n":"01"}"#)
        _ = await world.end()
    }

    @Test func anInstanceThatDoesNotEndItsStep_refusesTheChange_andTheNextOneSucceeds() async throws {
        let (began, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let text =
            ChangingWorld.item + """
                [loops.item.feedback.say]
                when   = "state.n == 1"
                effect = "std:print"
                args   = ["key"]

                """
        let world = try ChangingWorld(text) {
            began.signal()
            mayEnd.wait()
        }
        try world.send(0, to: "a")
        await began.passed()
        for round in 0..<2 {
            #expect(
                try await world.change(to: text + "# \(round)\n", within: .milliseconds(20)) == [
                    "P092 loop `item` did not reach the end of its step within 0.02 seconds"
                ])
        }
        mayEnd.signal()
        #expect(try await world.change(to: text) == [])
        try world.send(0, to: "a")
        await world.record.until { $0.contains { $0.contains(#""n":2"#) } }
        #expect(world.record.lines == ["a"])
        _ = await world.end()
    }

    @Test func anotherTypeOfKey_isRefused() async throws {
        let world = try ChangingWorld(ChangingWorld.item)
        let help = "had a key of type `string`"
        #expect(
            try await world.change(to: ChangingWorld.item.replacing("\"string\"", with: "\"int\""))
                == ["P100 loop `item` has a key of type `int`, and \(help)"])
        #expect(
            try await world.change(to: ChangingWorld.item.replacing("key    = \"string\"", with: ""))
                == ["P100 loop `item` has no key, and \(help)"])
        _ = await world.end()
    }
}
