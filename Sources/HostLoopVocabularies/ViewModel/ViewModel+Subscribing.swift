public import HostLoopFlow

extension ViewModel {
    /// The states: the current one first, then each later one that differs from the one before. It never
    /// completes. Neither the flow nor a subscription keeps the view model.
    ///
    /// The first state comes before the subscribing call returns, or after the current delivery. Later states
    /// come on the thread that changed the view model, after its transaction.
    public var states: Flow<State> {
        Flow { [audience] sink in
            audience.add(sink) { [weak sink] state in
                guard let sink, !sink.isCancelled else { return false }
                sink.emit(state)
                return true
            }
            sink.onCancel { audience.remove(sink) }
        }
    }

    /// Renders a view with the current state, and with each later one; see `StatefulView.render(state:)`.
    ///
    /// The view model holds the view weakly. A second subscription of the same view does nothing. The view is
    /// rendered before this returns, unless earlier states wait or a delivery of this view model continues.
    @MainActor
    public func subscribe<View: StatefulView>(view: View) where View.State == State {
        audience.add(view, onMain: true) { [weak view] state in
            MainActor.assumeIsolated {
                guard let view else { return false }
                switch view.renderPolicy {
                case .possible: view.render(state: state)
                case .notPossible(.viewNotReady): break
                case .notPossible(.viewDeallocated): return false
                }
                return true
            }
        }
    }

    /// Ends the subscription of a view. No rendering begins after this returns.
    @MainActor
    public func unsubscribe<View: StatefulView>(view: View) where View.State == State {
        audience.remove(view)
    }

    /// Calls `onChange` with the current state of another view model, and with each later one, for as long as
    /// this one lives.
    ///
    /// The first call comes before this returns, or after the current delivery of the other view model. Later
    /// calls are on the thread that changed the other view model, after the transaction. A second
    /// subscription replaces `onChange`. The other view model keeps `onChange`, which must not refer to this
    /// view model strongly.
    public func subscribe<Other: ViewState>(
        to model: ViewModel<Other>, onChange: @escaping @Sendable (Other) -> Void
    ) {
        model.audience.remove(self)
        model.audience.add(self) { [weak self] state in
            guard self != nil else { return false }
            onChange(state)
            return true
        }
    }

    /// Ends the subscription to another view model. No call begins after this returns.
    public func unsubscribe<Other: ViewState>(from model: ViewModel<Other>) {
        model.audience.remove(self)
    }
}
