/// Maps the keyed runs of a child's feedback to keyed runs of the parent.
///
/// Each run of the child has its own run of the parent, and uses the slot of that run.
final class ScopedKeys<State: Sendable, Event: Sendable, Parent: Sendable, ParentEvent: Sendable> {
    private struct Pair {
        let inner: KeyedRun<State, Event>
        let outer: KeyedRun<Parent, ParentEvent>
    }

    let outer = KeyedRunPool<Parent, ParentEvent>()
    private let scope: ChildScope<State, Event, Parent, ParentEvent>
    private var inner: KeyedRunPool<State, Event>
    /// The pairs by the child's run. `inners` has the child's runs by the parent's run.
    private var pairs: [ObjectIdentifier: Pair] = [:]
    private var inners: [ObjectIdentifier: KeyedRun<State, Event>] = [:]

    /// Fails for a feedback without keys.
    init?(scope: ChildScope<State, Event, Parent, ParentEvent>, inner keyedRole: KeyedRole<State, Event>?) {
        guard case .allKeys(let inner)? = keyedRole else { return nil }
        self.scope = scope
        self.inner = inner
        outer.takeStarts = { [unowned self] in takeStarts() }
        outer.onClose = { [unowned self] in close() }
    }

    /// Sets which run of the child is about to be called or copied.
    func selectStarting() {
        guard let run = outer.starting else { return }
        inner.starting = inners[ObjectIdentifier(run)]
    }

    /// Moves the endings of the child's current state to the runs of the parent.
    func transferEndings() {
        outer.endings = ContiguousArray(
            inner.endings.compactMap { run in
                guard let pair = pairs[ObjectIdentifier(run)] else { return nil }
                if run.effect == nil { pair.outer.effect = nil }
                return pair.outer
            })
        inner.endings = []
    }

    /// Ends every run, because the child has ended. The next child uses `keyedRole`.
    func reset(for keyedRole: KeyedRole<State, Event>?) {
        let ended = pairs.values.map(\.outer).sorted { $0.slotIndex < $1.slotIndex }
        for run in ended { (run.effect, run.removeKey) = (nil, {}) }
        outer.endings = ContiguousArray(ended)
        (pairs, inners) = ([:], [:])
        inner.close()
        if case .allKeys(let inner)? = keyedRole { self.inner = inner }
    }

    private func takeStarts() -> ContiguousArray<KeyedRun<Parent, ParentEvent>> {
        ContiguousArray(
            (inner.takeStarts?() ?? []).map { run in
                let pair = pair(of: run)
                pair.outer.effect = KeyedRun.nothing
                if let update = run.update.take() {
                    let (update, scope) = (inner.relayed(update), scope)
                    pair.outer.update = { parent, cause, run in try scope.call(update, parent, cause, run) }
                }
                return pair.outer
            })
    }

    private func pair(of run: KeyedRun<State, Event>) -> Pair {
        let id = ObjectIdentifier(run)
        if let pair = pairs[id] { return pair }
        let pair = Pair(inner: run, outer: outer.obtain())
        pair.outer.removeKey = { [unowned self] in
            inners[ObjectIdentifier(pair.outer)] = nil
            pairs[id] = nil
            inner.releaseIfGone(run)
        }
        pairs[id] = pair
        inners[ObjectIdentifier(pair.outer)] = run
        return pair
    }

    private func close() {
        (pairs, inners) = ([:], [:])
        inner.close()
    }
}
