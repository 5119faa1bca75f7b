import Foundation
import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Diagrams as an outline and as a picture.
@Suite struct DiagramPictureTests {
    private static let transitions = Transitions {
        From(Idle.self) { state in
            On(Refresh.self, transitionTo: Loading(page: state.count))
            On(Cancel.self, transitionTo: Loading(page: 0))
            After(.seconds(30), transitionTo: Failed())
        }
        From(Loading.self) { state in
            On(DataIsLoaded.self, transitionTo: Loaded(page: state.page))
        }
        From(Failed.self) {
            On(Refresh.self, transitionTo: Failed())
            On(Cancel.self, transitionTo: Idle())
        }
    }

    @Test func outlineHasEachStateWithItsTransitions() {
        #expect(
            Self.transitions.diagram(as: .text, initialState: Idle.self) == """
                Idle (initial)
                    Refresh → Loading
                    Cancel → Loading
                    after 30.0 seconds → Failed
                Failed
                    Refresh → Failed
                    Cancel → Idle
                Loading: more transitions depend on the state

                """)
    }

    @Test func outlineOfALoopHasItsFeedbacks() {
        let spin = Spin<Int, Int>(
            initialState: 0, reducer: Counting.reducer,
            feedbacks: [.onState("load\n\"all\"", strategy: .cancelOnNewState, effect: { _ in nil })])
        #expect(
            spin.diagram(as: .text) == """
                Int
                    onState, cancelOnNewState → load "all"
                reducer
                    → Int
                load "all"
                    Int → reducer

                """)
    }

    @Test func pictureOfALoop_hasAllTexts_escaped() {
        let spin = Spin<Int, Int>(
            initialState: 0, reducer: Counting.reducer,
            feedbacks: [.onState("a < b & c", strategy: .queue, effect: { _ in nil })])
        let picture = Picture(spin.diagram(as: .svg))
        #expect(picture.isWellFormed)
        #expect(picture.texts == ["Int", "Int", "a < b & c", "onState, queue", "reducer"])
    }

    /// Boxes are apart from each other and within the picture, and every edge has its arrow.
    @Test(arguments: [1, 2, 7, 40])
    func boxesAreApart(_ count: Int) {
        let feedbacks = (0..<count).map { number in
            Feedback<Int, Int>.onState(
                String(repeating: "名", count: number) + "\u{1}<\(number)>", effect: { _ in nil })
        }
        let spin = Spin<Int, Int>(initialState: 0, reducer: Counting.reducer, feedbacks: feedbacks)
        for picture in [
            Picture(spin.diagram(as: .svg)),
            Picture(Self.transitions.diagram(as: .svg, initialState: Idle.self)),
            Picture(Self.transitions.diagram(as: .svg)),
        ] {
            #expect(picture.isWellFormed)
            #expect(!picture.boxes.isEmpty)
            for (index, box) in picture.boxes.enumerated() {
                #expect(box.x >= 0 && box.y >= 0)
                #expect(box.x + box.width <= picture.width && box.y + box.height <= picture.height)
                for other in picture.boxes[..<index] {
                    let isApart =
                        box.x + box.width <= other.x || other.x + other.width <= box.x
                        || box.y + box.height <= other.y || other.y + other.height <= box.y
                    #expect(isApart, "\(box) and \(other)")
                }
            }
        }
        #expect(Picture(spin.diagram(as: .svg)).arrows == 2 * count + 1)
    }

    @Test func arrowsBetweenTheSameStatesAreOne_andTheInitialStateHasItsOwn() {
        let picture = Picture(Self.transitions.diagram(as: .svg, initialState: Idle.self))
        // To Loading, to Failed, Failed to itself and back; and the one from the dot.
        #expect(picture.arrows == 5)
        #expect(picture.texts.contains("Refresh, Cancel"))
        #expect(Picture(Self.transitions.diagram(as: .svg)).arrows == 4)
    }

    /// An edge that leads back may have a label that is longer than the picture is wide otherwise.
    @Test func labelsAreWithinThePicture() {
        struct ALongEventThatLeadsBackToTheStateBeforeThisOne: HostLoopVocabularies.Event {}
        let transitions = Transitions {
            From(Idle.self) { On(Refresh.self, transitionTo: Failed()) }
            From(Failed.self) {
                On(ALongEventThatLeadsBackToTheStateBeforeThisOne.self, transitionTo: Idle())
            }
        }
        let picture = Picture(transitions.diagram(as: .svg, initialState: Idle.self))
        #expect(picture.left < 0)
        for (text, x) in picture.places {
            #expect(x - text.count * 4 >= picture.left, "\(text)")
            #expect(x + text.count * 4 <= picture.left + picture.width, "\(text)")
        }
    }

    @Test func pictureOfNothing_isAPicture() {
        let picture = Picture(Transitions {}.diagram(as: .svg))
        #expect(picture.isWellFormed && picture.boxes.isEmpty && picture.width > 0)
        #expect(Transitions {}.diagram(as: .text) == "\n")
    }
}

/// What an XML parser reads in a picture.
private final class Picture: NSObject, XMLParserDelegate {
    struct Box {
        var x = 0
        var y = 0
        var width = 0
        var height = 0
    }

    private(set) var isWellFormed = false
    private(set) var boxes: [Box] = []
    private(set) var arrows = 0
    /// The texts with their middles.
    private(set) var places: [(text: String, x: Int)] = []
    private(set) var left = 0
    private(set) var width = 0
    private(set) var height = 0
    var texts: [String] { places.map(\.text).sorted() }
    private var text: String?
    private var x = 0

    init(_ source: String) {
        super.init()
        let parser = XMLParser(data: Data(source.utf8))
        parser.delegate = self
        isWellFormed = parser.parse()
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        func number(_ name: String) -> Int { attributes[name].flatMap { Int($0) } ?? -1 }
        switch name {
        case "svg":
            (width, height) = (number("width"), number("height"))
            left = attributes["viewBox"].flatMap { Int($0.prefix { $0 != " " }) } ?? 0
        case "rect":
            boxes.append(
                Box(x: number("x"), y: number("y"), width: number("width"), height: number("height")))
        case "path": arrows += attributes["marker-end"] == nil ? 0 : 1
        case "text": (text, x) = ("", number("x"))
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) { text?.append(characters) }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        if name == "text", let text { places.append((text, x)) }
        text = nil
    }
}
