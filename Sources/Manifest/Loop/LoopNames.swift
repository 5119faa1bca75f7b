/// Finds loops, events and feedbacks by name for tests. It uses tables, because a manifest may have thousands
/// of tests and thousands of names.
final class LoopNames {
    /// The manifest's loops.
    let loops: [LoopModel]
    private let indices: [String: Int]
    private var events: [Int: [String: Int]] = [:]
    private var feedbacks: [Int: [String: Int]] = [:]

    init(_ loops: [LoopModel]) {
        self.loops = loops
        indices = Self.indices(loops.lazy.map(\.name))
    }

    /// The index of a loop.
    func loop(_ name: String) -> Int? { indices[name] }

    /// The index of an event of a loop; if delayed transitions share the name, the index of the first.
    func event(_ name: String, of loop: Int) -> Int? {
        if events[loop] == nil { events[loop] = Self.indices(loops[loop].events.lazy.map(\.name)) }
        return events[loop]?[name]
    }

    /// The index of a feedback of a loop.
    func feedback(_ name: String, of loop: Int) -> Int? {
        if feedbacks[loop] == nil { feedbacks[loop] = Self.indices(loops[loop].feedbacks.lazy.map(\.name)) }
        return feedbacks[loop]?[name]
    }

    private static func indices(_ names: some Sequence<String>) -> [String: Int] {
        Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
