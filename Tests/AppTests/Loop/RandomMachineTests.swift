import TestSupport
import Testing

struct RandomMachineTests {
    @Test(arguments: 0..<12)
    func randomMachines_doWhatTheirRulesSay(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            var rules = RandomMachine(using: &generator)
            let manifest = rules.manifest
            let machine = try Machine(manifest)
            for _ in 0..<40 {
                let event = Int.random(in: 0...2, using: &generator)
                let number = Int.random(in: -30...60, using: &generator)
                let text = String(repeating: "x", count: Int.random(in: 0...3, using: &generator))
                let told = try machine.send("e\(event)", #"{"n":\#(number),"t":"\#(text)"}"#)
                // Of a fault only that there was one.
                let short = told.map { $0.hasPrefix("e\(event) !") ? "e\(event) !" : $0 }
                let expected = rules.send(event, number: number, text: text)
                guard short == [expected] else {
                    Issue.record("\(told), not \(expected), after e\(event) \(number) \(text):\n\(manifest)")
                    break
                }
            }
        }
    }
}
