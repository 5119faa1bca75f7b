extension ViewModel {
    /// Renders a view with the current state, and with each later one.
    ///
    /// The view model holds the view weakly. A second subscription of the same view does nothing. The view is
    /// rendered before this returns, or after the current delivery if this view model is delivering a state.
    public func subscribe<View: StatefulView>(view: View) where View.State == State {
        audience.add(view) { [weak view] state in
            guard let view else { return false }
            switch view.renderPolicy {
            case .possible: view.render(state: state)
            case .notPossible(.viewNotReady): break
            case .notPossible(.viewDeallocated): return false
            }
            return true
        }
    }

    /// Ends the subscription of a view. No rendering begins after this returns.
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
