import Records

/// What a client of version 2 wants to hear: changes, never whole states.
public struct ControlWatch: Hashable, Sendable {
    /// A kind of lines.
    public enum Kind: String, CaseIterable, Sendable {
        case steps, runs, faults, gears, log
    }

    /// The loop; nil for every loop.
    public var loop: String?
    /// The kinds of lines.
    public var kinds: Set<Kind>
    /// How often the client gets the counters, in milliseconds; nil for never.
    public var counters: Int64?
    /// Whether the client gets the outcomes of swaps.
    public var swaps: Bool
    /// An expression in CEL: only steps for which it is true are sent.
    public var filter: String?

    /// A watch.
    public init(
        loop: String? = nil, _ kinds: Set<Kind>, counters: Int64? = nil, swaps: Bool = false,
        filter: String? = nil
    ) {
        (self.loop, self.kinds, self.counters) = (loop, kinds, counters)
        (self.swaps, self.filter) = (swaps, filter)
    }

    /// The keys of version 2.
    static let keys = Kind.allCases.map(\.rawValue) + ["counters", "filter"]

    /// The allowed time between two lines with counters, in milliseconds.
    private static let intervals: ClosedRange<Int64> = 100...3_600_000

    /// Nil for a request without a key of version 2.
    init?(_ value: Value) throws(ControlFault) {
        guard Self.keys.contains(where: { value[$0] != nil }) else { return nil }
        var kinds: Set<Kind> = []
        for kind in Kind.allCases where try ControlRequest.flag(kind.rawValue, of: value) == true {
            kinds.insert(kind)
        }
        self.init(
            loop: try ControlRequest.text("loop", of: value), kinds,
            counters: try Self.interval(of: value),
            swaps: try ControlRequest.flag("swaps", of: value) ?? false,
            filter: try ControlRequest.text("filter", of: value))
    }

    private static func interval(of value: Value) throws(ControlFault) -> Int64? {
        guard let text = try ControlRequest.text("counters", of: value) else { return nil }
        guard let nanoseconds = TimeText.nanoseconds(ofDuration: text),
            intervals.contains(nanoseconds / 1_000_000)
        else {
            throw ControlFault(
                .wrongType, "`counters` must be a time from 100 ms to 1 h, found `\(text)`",
                help: ["write it as in `\"1s\"` or `\"500ms\"`"])
        }
        return nanoseconds / 1_000_000
    }

    /// Whether there is anything to send.
    var isEmpty: Bool { kinds.isEmpty && counters == nil }

    /// The keys of the request, without `loop`.
    var fields: [(String, Value)] {
        var fields = Kind.allCases.filter(kinds.contains).map { ($0.rawValue, Value.bool(true)) }
        // Without a key of version 2 it would be a request for states.
        if fields.isEmpty { fields.append(("steps", .bool(false))) }
        if let counters { fields.append(("counters", .string("\(counters)ms"))) }
        if swaps { fields.append(("swaps", .bool(true))) }
        if let filter { fields.append(("filter", .string(filter))) }
        return fields
    }
}
