import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

private struct VolumeView: HostLoopVocabularies.State, Equatable, CanBeUndefined {
    var level = -1
    var isLoud: Bool { level > 10 }
    static let undefined = VolumeView()
}

private struct SetVolume: HostLoopVocabularies.Event { var value: Int }

@Suite struct UISystemBindingTests {
    private let system: UISystem<VolumeView> = System {
        InitialState { Volume(value: 3) }
        Feedbacks {}
        Transitions {
            From(Volume.self) { state in
                On(SetVolume.self, transitionTo: Volume.self) { Volume(value: $0.value) }
                On(Increase.self, transitionTo: Volume(value: state.value + 1))
            }
        }
    }.execute(on: .caller).uiSystem { VolumeView(level: ($0 as? Volume)?.value ?? 0) }.run()

    // The original's bindings go on answering what the state was when they were made.
    @Test func aBindingReadsTheStateOfTheMomentAndEmitsWhatItIsSetTo() {
        let binding = system.binding(get: { $0.level }, emit: { SetVolume(value: $0) })
        #expect(binding.wrappedValue == 3)
        binding.wrappedValue = 12
        #expect(binding.wrappedValue == 12)
        #expect(system.state == VolumeView(level: 12))
    }

    @Test func aBindingMayEmitTheSameEventWhateverItIsSetTo() {
        let binding = system.binding(get: { $0.level }, emit: Increase())
        binding.wrappedValue = 100
        #expect(binding.wrappedValue == 4)
    }

    @Test func aBindingWithoutAnEventCannotBeSet() {
        let binding = system.binding(get: { $0.isLoud })
        binding.wrappedValue = true
        #expect(!binding.wrappedValue)
    }

    @Test func bindingsOfPropertiesDoTheSame() {
        let level = system.binding(keyPath: \.level, emit: { SetVolume(value: $0) })
        let step = system.binding(keyPath: \.level, emit: Increase())
        let isLoud = system.binding(keyPath: \.isLoud)
        level.wrappedValue = 10
        #expect(!isLoud.wrappedValue)
        step.wrappedValue = 0
        #expect(isLoud.wrappedValue)
        isLoud.wrappedValue = false
        #expect(level.wrappedValue == 11)
    }

    @Test func aBindingDoesNotKeepItsSystem() {
        var system: UISystem<VolumeView>? = System.volume().execute(on: .caller).uiSystem {
            VolumeView(level: ($0 as? Volume)?.value ?? 0)
        }.run()
        weak let released = system
        let binding = system?.binding(keyPath: \.level, emit: Increase())
        system = nil
        #expect(released == nil)
        binding?.wrappedValue = 1
        #expect(binding?.wrappedValue == 15)
    }
}
