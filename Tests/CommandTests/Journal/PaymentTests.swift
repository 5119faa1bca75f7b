import Foundation
import TestSupport
import Testing

/// `examples/payment`, whose orders survive the end of its process.
@Suite(.timeLimit(.minutes(10))) struct PaymentTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(patience: String) throws -> (host: RunningProgram, client: LineClient) {
        let host = try RunningProgram(
            [
                "run", "--control", "--skip", "none", "--manifest", Spinhost.example("payment"), "--journal",
                "shop.journal",
                "--set", "patience=\(patience)",
            ], in: folder.root, environment: ["XDG_RUNTIME_DIR": folder.root.path, "NO_COLOR": "1"])
        try #require(host.waitForErrors("listening at"))
        let client = try LineClient(folder.url("spinhost/payment.sock").path)
        try #require(client.line()?.contains(#""app":"payment""#) == true)
        return (host, client)
    }

    private func order(_ cents: Int) -> String {
        #"{"request":"send","event":"order","payload":{"cents":\#(cents)},"wait":"durable"}"#
    }

    private func state(of loop: String, _ client: LineClient) -> String {
        client.ask(#"{"request":"state","loop":"\#(loop)"}"#) ?? ""
    }

    private func number(_ name: String, in state: String) -> Int? {
        state.firstMatch(of: try! Regex("\"\(name)\":(\\d+)", as: (Substring, Substring).self)).flatMap {
            Int($0.output.1)
        }
    }

    @Test func `the manifest is without faults, and passes its tests`() throws {
        let check = try Spinhost.run("check", "--deny-warnings", "--manifest", Spinhost.example("payment"))
        #expect(check.output + check.errors == "" && check.status == 0)
        let tests = try Spinhost.run("test", "--manifest", Spinhost.example("payment"))
        #expect(tests.output.hasSuffix("\n7 tests, 0 failed\n") && tests.status == 0)
    }

    // The patience is shorter than each start, so an order would be cancelled that is not paid at once.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a shop that is killed again and again pays each order once`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var answered = 0
        for _ in 0..<12 {
            let (host, client) = try start(patience: "1ms")
            let orders = Int.random(in: 1...12, using: &generator)
            let answers = Int.random(in: 0...orders, using: &generator)
            for _ in 0..<orders { client.say(order(Int.random(in: 1...99_999, using: &generator))) }
            for _ in 0..<answers {
                try #require(client.line()?.contains(#""result":"durable","position":"#) == true)
            }
            // The loops may do more for the last answers, or nothing.
            for _ in 0..<Int.random(in: 0...answers, using: &generator) { _ = host.nextLine() }
            kill(host.identifier, SIGKILL)
            _ = host.end()
            answered += answers
        }
        let (host, client) = try start(patience: "1ms")
        try blockUntil { state(of: "orders", client).contains(#""case":"idle""#) }
        let shop = state(of: "orders", client)
        let last = try #require(number("last", in: shop))
        #expect(last >= answered)
        #expect(number("paid", in: shop) == last && number("cancelled", in: shop) == 0, "\(shop)")
        try blockUntil { number("payments", in: state(of: "ledger", client)) == last }
        let ledger = state(of: "ledger", client)
        kill(host.identifier, SIGTERM)
        #expect(host.end().status == 0)
        let books = try String(contentsOf: folder.url("payments.txt"), encoding: .utf8)
            .split(separator: "\n").map { $0.split(separator: " ") }
        #expect(Set(books.map { $0[0] }).count == last)
        #expect(books.map { Int($0[1]) } == Array(1...last))
        #expect(number("cents", in: ledger) == books.reduce(0) { $0 + (Int($1[2]) ?? 0) })
        let verified = try Spinhost.run("journal", "verify", "shop.journal", in: folder)
        #expect(verified.status == 0, "\(verified.errors)")
    }

    @Test func `an order that nobody approves is cancelled, also when its time passes without a process`()
        throws
    {
        let (first, client) = try start(patience: "1h")
        #expect(client.ask(order(100_001))?.contains("durable") == true)
        #expect(client.ask(order(700))?.contains("durable") == true)
        #expect(state(of: "orders", client).contains(#""order":1,"cents":100001,"approved":false"#))
        kill(first.identifier, SIGKILL)
        _ = first.end()
        let (second, next) = try start(patience: "1ms")
        try blockUntil { number("payments", in: state(of: "ledger", next)) == 1 }
        let shop = state(of: "orders", next)
        #expect(number("cancelled", in: shop) == 1 && number("paid", in: shop) == 1, "\(shop)")
        kill(second.identifier, SIGTERM)
        let end = second.end()
        #expect(end.status == 0)
        #expect(end.errors.contains(#/^recovered: 2 loops, 2 steps, in /#), "\(end.errors)")
    }
}
