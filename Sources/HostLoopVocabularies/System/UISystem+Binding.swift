extension UISystem {
    /// A binding that reads what `get` makes of the published state, and cannot be set.
    ///
    /// A binding does not keep the system. Unlike the original's, it reads the state of the moment, not the
    /// one of the time when it was made.
    public func binding<Output>(get: @escaping @Sendable (PublishedState) -> Output) -> Binding<Output> {
        Binding(get: reading(get), set: { _ in })
    }

    /// A binding that reads what `get` makes of the published state, and emits what `emit` makes of a value
    /// that it is set to.
    public func binding<Output>(
        get: @escaping @Sendable (PublishedState) -> Output, emit: @escaping @Sendable (Output) -> any Event
    ) -> Binding<Output> {
        Binding(get: reading(get), set: { [weak self] in self?.emit(emit($0)) })
    }

    /// A binding that reads what `get` makes of the published state, and emits `event` when it is set.
    public func binding<Output>(
        get: @escaping @Sendable (PublishedState) -> Output, emit event: any Event
    ) -> Binding<Output> {
        binding(get: get, emit: { _ in event })
    }

    /// A binding that reads a property of the published state, and cannot be set.
    public func binding<Output>(
        keyPath: any KeyPath<PublishedState, Output> & Sendable
    ) -> Binding<Output> {
        binding(get: { $0[keyPath: keyPath] })
    }

    /// A binding that reads a property of the published state, and emits what `emit` makes of a value that it
    /// is set to.
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
