import Expressions
import Records
import References

/// Row E1: a scalar expression over two records. The reference is the same expression compiled as C. A loop
/// calls each once per turn, and changes the values that they read.
struct ExpressionRow {
    private static let text = "state.a * 2 + event.b > 10 && !state.off"
    var turns = 5_000_000

    func measure(rounds: Int) async throws -> Row {
        let samples = try await Row.sampling(
            rounds: rounds, figure: { try ours() }, reference: { reference() })
        return Row(
            name: "E1", title: "`\(Self.text)`", referenceTitle: "the same compiled C", unit: "ns",
            moreIsBetter: false, reach: 20, then: 8, samples: samples)
    }

    func ours() throws -> Double {
        let state = RecordType([("a", .integer(.i64)), ("off", .bool)])
        let event = RecordType([("b", .integer(.i64))])
        let scope = Scope([
            Scope.Variable(name: "state", type: .record(state), slot: 0),
            Scope.Variable(name: "event", type: .record(event), slot: 1),
        ])
        let predicate = try Expression(Self.text, in: scope).predicate()
        var (stateRecord, eventRecord) = (Record(state), Record(event))
        try eventRecord.set("b", to: .int(3))
        // Safe because nothing else holds the records, and both live longer than the loop.
        let base = unsafe stateRecord.unsafeMutableBase()
        let slots = UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: 2)
        defer { unsafe slots.deallocate() }
        unsafe slots.initialize(to: UnsafeRawPointer(base))
        unsafe (slots + 1).initialize(to: eventRecord.unsafeBase)
        let frame = unsafe Frame(UnsafePointer(slots))
        let field = state.fields[0].offset
        var held = 0
        let start = ContinuousClock.now
        for turn in 0..<turns {
            unsafe base.storeBytes(of: Int64(turn & 7), toByteOffset: field, as: Int64.self)
            if try predicate.evaluate(frame) { held += 1 }
        }
        let seconds = Stopwatch.seconds(since: start)
        withExtendedLifetime((stateRecord, eventRecord)) {}
        try check(held)
        return seconds / Double(turns) * 1e9
    }

    private func reference() -> Double {
        let start = ContinuousClock.now
        // Safe because the function has the type that the loop declares.
        let held = unsafe reference_expression_loop(reference_expression, Int64(turns))
        let seconds = Stopwatch.seconds(since: start)
        precondition(held == Int64(turns / 2), "the reference holds for every second value")
        return seconds / Double(turns) * 1e9
    }

    /// `a * 2 + 3 > 10` is true for 4 of the 8 values.
    private func check(_ held: Int) throws {
        guard held == turns / 2 else { throw BenchFault("E1 held \(held) times") }
    }
}
