import HostLoop
import HostLoopFlow
import HostLoopOpenCombine
import OpenCombine

struct Search: Sendable, Equatable {
    var text = ""
    var results: [String] = []
}

enum SearchEvent: Sendable { case typed(String), found([String]) }

func find(_ text: String) -> AnyPublisher<[String], Never> {
    Just([text.uppercased()]).eraseToAnyPublisher()
}

let keys = PassthroughSubject<String, Never>()
let typed = keys.map(SearchEvent.typed).flow

let spin = Spin<Search, SearchEvent>(
    initialState: Search(),
    reducer: Reducer { search, event in
        switch event {
        case .typed(let text): search.text = text
        case .found(let results): search.results = results
        }
        return true
    },
    feedbacks: [
        .always("keys", source: { typed }),
        .onChange(
            "search", request: { $0.text.isEmpty ? nil : $0.text },
            flow: { text in find(text).map(SearchEvent.found).flow }),
    ], executor: .caller)
let loop = spin.start()

let cancellable = loop.publisher().map(\.results).filter { !$0.isEmpty }.removeDuplicates()
    .sink { print($0) }
keys.send("abba")
keys.send("queen")
cancellable.cancel()
