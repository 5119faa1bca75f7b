extension ViewModel {
    /// Renders a view with the current state, and with each later one.
    ///
    /// The view is held weakly, and forgotten when it is gone; one that is subscribed already stays as it is.
    /// It is rendered before this returns, unless this view model is telling of a change just now: then after
    /// that.
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

    /// Renders a view no more: no rendering begins once this returns.
    public func unsubscribe<View: StatefulView>(view: View) where View.State == State {
        audience.remove(view)
    }

    /// Calls `onChange` with the current state of another view model, and with each later one, for as long as
    /// this one lives.
    ///
    /// It is called before this returns, unless the other one is telling of a change just now; later on the
    /// thread that changed the other one, after the transaction. Subscribing again replaces `onChange`. It
    /// must not refer to this view model strongly: the other one keeps it.
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

    /// Follows another view model no more: no call begins once this returns.
    public func unsubscribe<Other: ViewState>(from model: ViewModel<Other>) {
        model.audience.remove(self)
    }
}
