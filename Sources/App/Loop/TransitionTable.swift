import Manifest
import Records

/// The transitions of each event in each case of the state, in order. A walk over it counts no references.
@safe
final class TransitionTable {
    // The number of cases, which is the length of a row: there is one row for each event; 1 without cases.
    private let width: Int
    private let hasCases: Bool
    // Where the transitions of an event and case begin in `all`. They end where the next begin.
    private let starts: [Int]
    private let all: [DeclaredTransition]
    // Safe because it is written in `init` only, is freed with its owner, and refers to objects that `all`
    // keeps.
    private let borrowed: UnsafeMutableBufferPointer<Unmanaged<DeclaredTransition>>

    init(_ loop: LoopModel) {
        hasCases = !loop.stateType.cases.isEmpty
        width = max(1, loop.stateType.cases.count)
        var starts: [Int] = []
        var all: [DeclaredTransition] = []
        for transitions in loop.transitions {
            let made = transitions.map { ($0.from, DeclaredTransition($0, of: loop)) }
            for index in 0..<width {
                starts.append(all.count)
                all += made.filter { $0.0?.contains(index) ?? true }.map(\.1)
            }
        }
        (self.starts, self.all) = (starts + [all.count], all)
        unsafe borrowed = .allocate(capacity: all.count)
        _ = unsafe borrowed.initialize(from: all.map { unsafe .passUnretained($0) })
    }

    deinit { unsafe borrowed.deallocate() }

    /// The number of entries: each transition has one for each case in which it may apply.
    var entryCount: Int { all.count }
    /// The number of pairs of an event and a case.
    var rowCount: Int { starts.count - 1 }

    /// The row of an event and a case.
    func row(of event: Int, in stateCase: Int) -> Int { event * width + stateCase }

    /// The event, the case and the transition of an entry.
    func place(ofEntry entry: Int) -> (event: Int, stateCase: Int?, transition: DeclaredTransition) {
        var (row, end) = (0, rowCount)
        // The last row that begins at or before the entry.
        while end - row > 1 {
            let middle = row + (end - row) / 2
            if starts[middle] <= entry { row = middle } else { end = middle }
        }
        return (row / width, hasCases ? row % width : nil, all[entry])
    }

    /// The answer of `body` for the first transition of an event for which that is not nil. `body` also gets the
    /// transition's entry.
    ///
    /// - Parameter state: the bytes of a state of the loop.
    @inline(__always)
    func first(
        of event: Int, in state: UnsafeRawPointer,
        _ body: (DeclaredTransition, Int) throws(RunFault) -> Bool?
    ) throws(RunFault) -> Bool? {
        var row = event * width
        if hasCases {
            // Safe because a state with cases begins with its tag.
            let tag = unsafe Int(state.load(as: Int32.self))
            guard tag >= 0, tag < width else { return nil }
            row += tag
        }
        for index in starts[row]..<starts[row + 1] {
            let answer = unsafe try borrowed[index].borrow { transition throws(RunFault) in
                try body(transition, index)
            }
            if let answer { return answer }
        }
        return nil
    }
}
