import HostLoop
import HostLoopFlow
import HostLoopVocabularies

/// The states and events of the machines in the tests of this folder.
struct Loading: HostLoopVocabularies.State, Equatable { var page = 0 }
struct Loaded: HostLoopVocabularies.State, Equatable {
    var page = 0
    var data = ""
}
struct Failed: HostLoopVocabularies.State, Equatable {}
struct Idle: HostLoopVocabularies.State, Instantiable, Equatable {
    var count = 0
    static let instance = Idle()
}

struct DataIsLoaded: HostLoopVocabularies.Event, Equatable { var data = "" }
struct LoadingHasFailed: HostLoopVocabularies.Event, Equatable {}
struct Refresh: HostLoopVocabularies.Event, Equatable {}
struct Cancel: HostLoopVocabularies.Event, Equatable {}

enum Machines {
    /// The transitions of the README.
    static let pages = Transitions {
        From(Loading.self) { state in
            On(DataIsLoaded.self, transitionTo: Loaded.self) { event in
                Loaded(page: state.page, data: event.data)
            }
            On(LoadingHasFailed.self, transitionTo: Failed())
        }
        From(Loaded.self) { state in
            On(Refresh.self, transitionTo: Loading.self) {
                Loading(page: state.page)
            }
        }
    }
}

extension Transitions {
    /// The new state in words, or `unhandled`.
    func outcome(_ state: any HostLoopVocabularies.State, _ event: any HostLoopVocabularies.Event) -> String {
        transition(from: state, on: event).map { "\($0)" } ?? "unhandled"
    }
}
