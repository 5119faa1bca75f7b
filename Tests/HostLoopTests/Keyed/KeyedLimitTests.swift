import HostLoop
import HostLoopTesting
import Testing

/// How many loops by key there may be, and how they are listed.
@Suite struct KeyedLimitTests {
    private func keys(_ page: KeyedPage<String, Int>) -> [String] { page.loops.map(\.key) }

    @Test func oneLoopTooManyIsRefused() {
        let loops = Keyed.loops(limit: 2)
        loops.emit(1, to: "a")
        loops.emit(1, to: "b")
        #expect(loops.emit(1, to: "c") == .limit)
        #expect(loops.emit(1, to: "b") == .queued)
        #expect(loops.counters.refusedByLimit == 1)
        loops.emit(100, to: "a")
        #expect(loops.emit(1, to: "c") == .queued)
        #expect(loops.count == 2)
    }

    @Test func anEventThatMakesNoLoopIsNotRefusedByTheLimit() {
        let loops = Keyed.loops(limit: 1, creates: { $0 == 1 })
        loops.emit(1, to: "a")
        #expect(loops.emit(2, to: "b") == .absent)
        #expect(loops.emit(1, to: "b") == .limit)
        #expect(loops.counters.refusedAsAbsent == 1)
        #expect(loops.counters.refusedByLimit == 1)
    }

    @Test func keptStatesGiveWayToLoops() {
        let loops = Keyed.loops(limit: 3, keep: .seconds(10))
        for key in ["a", "b", "c"] { loops.emit(100, to: key) }
        #expect(loops.counters.kept == 3)
        loops.emit(1, to: "d")
        #expect(loops.state(of: "a") == nil)
        #expect(loops.state(of: "b") == 101)
        // A key that begins again gives up its own state.
        loops.emit(1, to: "c")
        #expect(loops.state(of: "b") == 101)
        #expect(loops.counters.kept == 1)
    }

    // MARK: - Pages

    @Test func pagesFollowTheOrderOfTheLoops() {
        let loops = Keyed.loops()
        for key in ["a", "b", "c", "d", "e"] { loops.emit(1, to: key) }
        let first = loops.page(atMost: 2)
        #expect(keys(first) == ["a", "b"])
        #expect(first.loops.map(\.state) == [2, 2])
        // The next page is not moved by those that leave, before and behind it, nor by those that come.
        loops.emit(100, to: "a")
        loops.emit(100, to: "c")
        loops.emit(1, to: "f")
        #expect(first.next != nil)
        let second = loops.page(after: first.next, atMost: 3)
        #expect(keys(second) == ["d", "e", "f"])
        #expect(second.next == nil)
        loops.emit(1, to: "a")
        #expect(keys(loops.page(atMost: 10)) == ["b", "d", "e", "f", "a"])
    }

    @Test func aCursorOutlivesItsLoops() {
        let loops = Keyed.loops()
        for number in 0..<1000 { loops.emit(1, to: "\(number)") }
        let next = loops.page(atMost: 500).next
        #expect(next != nil)
        for number in 0..<900 { loops.stop("\(number)") }
        #expect(keys(loops.page(after: next, atMost: 2)) == ["900", "901"])
        #expect(loops.page(atMost: 100).next == nil)
    }

    @Test func withoutLoopsAPageIsEmpty() {
        let page = Keyed.loops().page(atMost: 1)
        #expect(page.loops.isEmpty)
        #expect(page.next == nil)
    }
}
