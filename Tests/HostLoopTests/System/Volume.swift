import HostLoop
import HostLoopFlow
import HostLoopVocabularies

/// The README's loudspeaker: two feedbacks move the volume to a target.
struct Volume: HostLoopVocabularies.State, Equatable { var value: Int }
struct Increase: HostLoopVocabularies.Event {}
struct Decrease: HostLoopVocabularies.Event {}

extension System {
    static func volume(from start: Int = 10, to target: Int = 15) -> System {
        System {
            InitialState {
                Volume(value: start)
            }
            Feedbacks {
                Feedback(on: Volume.self, strategy: .continueOnNewState) {
                    state -> Flow<any HostLoopVocabularies.Event> in
                    if state.value >= target {
                        return .none
                    }
                    return .just(Increase())
                }
                Feedback(on: Volume.self, strategy: .continueOnNewState) {
                    state -> Flow<any HostLoopVocabularies.Event> in
                    if state.value <= target {
                        return .none
                    }
                    return .just(Decrease())
                }
            }
            Transitions {
                From(Volume.self) { state in
                    On(Increase.self, transitionTo: Volume(value: state.value + 1))
                    On(Decrease.self, transitionTo: Volume(value: state.value - 1))
                }
            }
        }
    }
}

typealias SystemLog = LoopLog<any HostLoopVocabularies.State, any HostLoopVocabularies.Event>

/// The values of states, as words.
extension LoopLog where State == any HostLoopVocabularies.State {
    var words: [String] { states.map { "\($0)" } }
}
