import Diagnostics
import HostLoop
import Manifest
import Records

// How the instances of a loop continue in the app of a changed manifest.
extension LoopKind {
    /// The kind before, whose instances rest.
    struct Predecessor: Sendable {
        let kind: LoopKind
        /// The states with which the instances continue.
        let states: [LoopKey: Record]
    }

    /// Has no instance make a step, until `unpark`.
    ///
    /// - Parameter parked: called once no instance is in a step.
    func park(_ parked: @escaping @Sendable () -> Void) { executor.hold(parked) }

    func unpark() { executor.release() }

    /// Continues the instances of another kind. They rest until `unpark`.
    ///
    /// - Parameter model: the loop. A last state that does not fit is not kept any longer.
    /// - Returns: cancels the effects that do not continue.
    func takePlace(
        of before: Predecessor, _ succession: LoopSuccession<AppEvent>, as model: LoopModel
    ) -> @Sendable () -> Void {
        park {}
        inheritCounts(of: before.kind)
        return instances.takePlace(
            of: before.kind.instances, succession,
            state: { key, _ in before.states[key] ?? model.initialState(of: key) },
            kept: { StateCarry.state(of: model, from: $1) })
    }
}

extension StateCarry {
    /// The states of a loop's instances.
    ///
    /// - Throws: the reasons why the first of them that does not fit cannot keep its state.
    func states(of loop: LoopModel, from kind: LoopKind) throws(AppRefusal) -> [LoopKey: Record] {
        var carried: [LoopKey: Record] = [:]
        for (key, state) in kind.instances.states {
            var diagnostics: [Diagnostic] = []
            carried[key] = Self.state(
                of: loop, from: state, addressesStayValid: addressesStayValid, &diagnostics)
            guard diagnostics.isEmpty else { throw AppRefusal(diagnostics) }
        }
        return carried
    }
}

extension KeyModel.Kind? {
    /// For messages.
    fileprivate var text: String { map { "a key of type `\($0.rawValue)`" } ?? "no key" }
}

extension Manifest {
    /// Why a loop cannot continue in a changed manifest: one of the two has a key, or both have keys of different types.
    func refusesKey(in changed: Manifest) -> Diagnostic? {
        for loop in changed.loops {
            guard let before = loops.first(where: { $0.name == loop.name }),
                before.key?.kind != loop.key?.kind
            else { continue }
            return Diagnostic(
                .error, .keyedLoop,
                "loop `\(loop.name)` has \(loop.key.map(\.kind).text), and had \(before.key.map(\.kind).text)",
                at: loop.key?.span ?? loop.span,
                help: ["give the loop another name: it begins, and the one before ends"])
        }
        return nil
    }
}
