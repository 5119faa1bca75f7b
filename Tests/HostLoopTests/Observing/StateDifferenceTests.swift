import HostLoop
import Testing

@Suite struct StateDifferenceTests {
    fileprivate struct Point: Equatable {
        var x = 0
        var y = 0
    }

    fileprivate enum Phase: Equatable {
        case idle
        case loading(Int)
        case loaded(items: [String], at: Point)
        indirect case nested(Phase)
    }

    private struct Everything {
        var point = Point()
        var phase = Phase.idle
        var name: String?
        var best: Point?
        var list: [Point] = []
        var tags: Set<Int> = []
        var scores: [String: Int] = [:]
        var pair: (Int, label: String) = (0, "a")
        var wait = Duration.seconds(1)
        var ratio = 0.5
    }

    private final class Node {
        var value: Int
        var next: Node?

        init(_ value: Int) {
            self.value = value
        }
    }

    private func lines(_ change: (inout Everything) -> Void) -> [String] {
        var changed = Everything()
        change(&changed)
        return StateDifference(Everything(), changed).lines
    }

    @Test func equalValuesHaveNone() {
        #expect(StateDifference(Everything(), Everything()).lines == [])
        #expect(StateDifference(1, 1).description == "")
    }

    @Test func aSimpleValueIsShownAlone() {
        #expect(StateDifference(11, 12).description == "- 11\n+ 12")
        #expect(StateDifference("a\n", "b\"").description == #"- "a\n""# + "\n" + #"+ "b\"""#)
        #expect(StateDifference(Int?.none, 1).description == "- nil\n+ 1")
        #expect(StateDifference(Character("a"), "b").description == #"- "a""# + "\n" + #"+ "b""#)
    }

    @Test func onlyTheFieldsThatDifferAreShownWithTheirPaths() {
        #expect(lines { $0.point.x = 3 } == ["- point.x: 0", "+ point.x: 3"])
        #expect(
            lines {
                $0.point = Point(x: 1, y: 2)
                $0.ratio = 0.25
            } == [
                "- point.x: 0", "+ point.x: 1", "- point.y: 0", "+ point.y: 2", "- ratio: 0.5",
                "+ ratio: 0.25",
            ])
        #expect(
            lines { $0.pair = (1, "b") } == [
                "- pair.0: 0", "+ pair.0: 1", #"- pair.label: "a""#, #"+ pair.label: "b""#,
            ])
    }

    @Test func whatHasADescriptionOfItsOwnIsNotTakenApart() {
        #expect(lines { $0.wait = .milliseconds(1500) } == ["- wait: 1.0 seconds", "+ wait: 1.5 seconds"])
    }

    @Test func optionalsAreShownAsTheirValues() {
        #expect(lines { $0.name = "Ada" } == ["- name: nil", #"+ name: "Ada""#])
        #expect(lines { $0.best = Point(x: 1) } == ["- best: nil", "+ best: Point(x: 1, y: 0)"])
        var (first, second) = (Everything(), Everything())
        first.best = Point(x: 1)
        second.best = Point(x: 2)
        #expect(StateDifference(first, second).lines == ["- best.x: 1", "+ best.x: 2"])
    }

    @Test func casesAreShownWholeAndPayloadsOfTheSameCaseByTheirParts() {
        #expect(lines { $0.phase = .loading(3) } == ["- phase: .idle", "+ phase: .loading(3)"])
        #expect(StateDifference(Phase.loading(1), .loading(2)).lines == ["- loading: 1", "+ loading: 2"])
        #expect(
            StateDifference(Phase.loaded(items: ["a"], at: Point()), .loaded(items: ["b"], at: Point(x: 1)))
                .lines
                == [
                    #"- loaded.items[0]: "a""#, #"+ loaded.items[0]: "b""#, "- loaded.at.x: 0",
                    "+ loaded.at.x: 1",
                ])
        #expect(
            StateDifference(Phase.nested(.loading(1)), .nested(.loaded(items: [], at: Point()))).lines == [
                "- nested: .loading(1)", "+ nested: .loaded(items: [], at: Point(x: 0, y: 0))",
            ])
    }

    @Test func listsShowTheStretchThatChanged() {
        let list = [1, 2, 3, 4]
        #expect(StateDifference(list, [1, 9, 3, 4]).lines == ["- [1]: 2", "+ [1]: 9"])
        #expect(StateDifference(list, [0, 1, 2, 3, 4]).lines == ["+ [0]: 0"])
        #expect(StateDifference(list, [1, 4]).lines == ["- [1]: 2", "- [2]: 3"])
        #expect(StateDifference(list, []).lines == ["- [0]: 1", "- [1]: 2", "- [2]: 3", "- [3]: 4"])
        #expect(
            StateDifference([Point(), Point(x: 1)], [Point(), Point(x: 2), Point(x: 3)]).lines == [
                "- [1].x: 1", "+ [1].x: 2", "+ [2]: Point(x: 3, y: 0)",
            ])
    }

    @Test func setsAndDictionariesAreSorted() {
        var (first, second) = (Everything(), Everything())
        first.tags = [10, 9, 1, 5]
        second.tags = [11, 2, 100, 5]
        #expect(
            StateDifference(first, second).lines == [
                "- tags: contains 1", "- tags: contains 9", "- tags: contains 10", "+ tags: contains 2",
                "+ tags: contains 11", "+ tags: contains 100",
            ])
        (first, second) = (Everything(), Everything())
        first.scores = ["b": 1, "a": 2, "same": 0]
        second.scores = ["c": 1, "a": 3, "same": 0]
        #expect(
            StateDifference(first, second).lines == [
                #"- scores["a"]: 2"#, #"+ scores["a"]: 3"#, #"- scores["b"]: 1"#, #"+ scores["c"]: 1"#,
            ])
        #expect(
            StateDifference(Set<Phase.Key>(), [.b, .a]).lines == ["+ contains .a", "+ contains .b"])
        #expect(
            StateDifference(0 as Any, [["z": Set([3, 1, 2]), "a": []]] as Any).lines == [
                "- 0", #"+ [["a": [], "z": [1, 2, 3]]]"#,
            ])
    }

    @Test func whatDiffersWithoutAVisibleDifferenceIsShownWhole() {
        struct Odd: Equatable {
            var name = "odd"
            static func == (lhs: Odd, rhs: Odd) -> Bool { false }
        }
        #expect(
            StateDifference(Odd(), Odd()).lines == [
                #"- Odd(name: "odd") (not equal, and shown alike)"#,
                #"+ Odd(name: "odd") (not equal, and shown alike)"#,
            ])
        #expect(
            StateDifference(Double.nan, .nan).lines == [
                "- nan (not equal, and shown alike)", "+ nan (not equal, and shown alike)",
            ])
    }

    @Test func valuesOfDifferentTypesAreShownWhole() {
        #expect(StateDifference(Point() as Any, 3 as Any).lines == ["- Point(x: 0, y: 0)", "+ 3"])
    }

    @Test func objectsAreTakenApartAndCyclesEnd() {
        let (first, second) = (Node(1), Node(1))
        (first.next, second.next) = (Node(2), Node(3))
        first.next?.next = first
        second.next?.next = second
        #expect(StateDifference(first, second).lines == ["- next.value: 2", "+ next.value: 3"])
        #expect(StateDifference(first, first).lines == [])
        #expect(
            StateDifference(Node?.none, first).lines == [
                "- nil", "+ Node(value: 1, next: Node(value: 2, next: Node(…)))",
            ])
    }

    @Test func partsOfASuperclassCount() {
        class Base { var id = 0 }
        final class Derived: Base { var name = "a" }
        let (first, second) = (Derived(), Derived())
        (second.id, second.name) = (1, "b")
        #expect(
            StateDifference(first, second).lines == ["- id: 0", "+ id: 1", #"- name: "a""#, #"+ name: "b""#])
    }
}

extension StateDifferenceTests.Phase {
    fileprivate enum Key: Hashable { case a, b }
}
