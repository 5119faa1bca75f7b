import HostLoop

/// The states and events of the machines in the tests of this folder.
struct Loading: HostLoop.State, Equatable { var page = 0 }
struct Loaded: HostLoop.State, Equatable {
    var page = 0
    var data = ""
}
struct Failed: HostLoop.State, Equatable {}
struct Idle: HostLoop.State, Instantiable, Equatable {
    var count = 0
    static let instance = Idle()
}

struct DataIsLoaded: HostLoop.Event, Equatable { var data = "" }
struct LoadingHasFailed: HostLoop.Event, Equatable {}
struct Refresh: HostLoop.Event, Equatable {}
struct Cancel: HostLoop.Event, Equatable {}

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
    func outcome(_ state: any HostLoop.State, _ event: any HostLoop.Event) -> String {
        transition(from: state, on: event).map { "\($0)" } ?? "unhandled"
    }
}
