import References

extension AppRow {
    /// Row G1: a message goes from a loop to another one through a gear, and back through another gear, over and over.
    /// The reference is two threads that pass a number back and forth.
    static func gears() -> AppRow {
        let turns = 50_000
        return AppRow(
            name: "G1", title: "message through a gear, there and back",
            referenceTitle: "mutex and condition variable, back and forth", unit: "µs", reach: 1.5, then: 1,
            manifest: """
                [gears]
                there = { messages = { ball = { n = "int" } } }
                back  = { messages = { ball = { n = "int" } } }
                [loops.left]
                state   = { n = 0 }
                events  = { back = { n = "int" } }
                receive = { back = { ball = { event = "back", n = "message.n" } } }
                on.back = { set = { n = "event.n" } }
                until   = "state.n == \(turns)"
                feedback.send = { send = { gear = "there", message = "ball", n = "state.n" }, when = "state.n < \(turns)" }
                [loops.right]
                state   = { n = -1 }
                events  = { ball = { n = "int" } }
                receive = { there = { ball = { event = "ball", n = "message.n" } } }
                on.ball = { set = { n = "event.n" } }
                until   = "state.n == \(turns - 1)"
                feedback.send = { send = { gear = "back", message = "ball", n = "state.n + 1" }, when = "state.n >= 0" }
                """, steps: 2 * turns, unitsPerSecond: 1e6 / Double(turns),
            reference: { reference_hand_over(Int64(turns)) == turns })
    }
}
