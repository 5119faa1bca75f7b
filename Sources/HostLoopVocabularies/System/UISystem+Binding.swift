extension UISystem {
    /// A binding that reads the result of `get` for the published state. To set it does nothing.
    ///
    /// A binding does not keep the system. It reads the current state. The original's reads the state at the
    /// time when it was made.
    public func binding<Output>(get: @escaping @Sendable (PublishedState) -> Output) -> Binding<Output> {
        Binding(get: reading(get), set: { _ in })
    }

    /// A binding that reads the result of `get` for the published state. When it is set, it emits the event
    /// that `emit` makes of the value.
    public func binding<Output>(
        get: @escaping @Sendable (PublishedState) -> Output, emit: @escaping @Sendable (Output) -> any Event
    ) -> Binding<Output> {
        Binding(get: reading(get), set: { [weak self] in self?.emit(emit($0)) })
    }

    /// A binding that reads the result of `get` for the published state, and emits `event` when it is set.
    public func binding<Output>(
        get: @escaping @Sendable (PublishedState) -> Output, emit event: any Event
    ) -> Binding<Output> {
        binding(get: get, emit: { _ in event })
    }

    /// A binding that reads a property of the published state. To set it does nothing.
    public func binding<Output>(
        keyPath: any KeyPath<PublishedState, Output> & Sendable
    ) -> Binding<Output> {
        binding(get: { $0[keyPath: keyPath] })
    }

    /// A binding that reads a property of the published state. When it is set, it emits the event that `emit`
    /// makes of the value.
    public func binding<Output>(
        keyPath: any KeyPath<PublishedState, Output> & Sendable,
        emit: @escaping @Sendable (Output) -> any Event
    ) -> Binding<Output> {
        binding(get: { $0[keyPath: keyPath] }, emit: emit)
    }

    /// A binding that reads a property of the published state, and emits `event` when it is set.
    public func binding<Output>(
        keyPath: any KeyPath<PublishedState, Output> & Sendable, emit event: any Event
    ) -> Binding<Output> {
        binding(get: { $0[keyPath: keyPath] }, emit: { _ in event })
    }

    private func reading<Output>(
        _ get: @escaping @Sendable (PublishedState) -> Output
    ) -> @Sendable () -> Output {
        { [weak self, shown] in get(self?.state ?? shown.value) }
    }
}
