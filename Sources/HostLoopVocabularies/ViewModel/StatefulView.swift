/// An object of the main actor that shows the state of a view model.
///
/// `ViewModel.states` is for objects that are not of the main actor.
@MainActor
public protocol StatefulView<State>: AnyObject, Sendable {
    /// The state that it shows.
    associatedtype State: ViewState

    /// Whether the view can be rendered now. Read before each rendering.
    var renderPolicy: RenderPolicy { get }

    /// Shows a state.
    ///
    /// Calls for the views of one view model come one at a time, in order. A state that the main thread has
    /// written is rendered before its `write` returns, if no earlier one waits. A state of another thread is
    /// rendered in a later turn of the main dispatch queue. The function may write to view models.
    func render(state: State)
}

extension StatefulView {
    /// `.possible`.
    public var renderPolicy: RenderPolicy { .possible }
}

/// Whether a view can be rendered now.
public enum RenderPolicy: Sendable, Hashable {
    /// The view can be rendered.
    case possible
    /// The view cannot be rendered and does not show the state.
    case notPossible(Reason)

    /// Why a view cannot be rendered.
    public enum Reason: Sendable, Hashable {
        /// The view is not ready. It is rendered at the next change. The original library ends the program.
        case viewNotReady
        /// The view is gone. Its subscription ends.
        case viewDeallocated
    }
}

/// The state of a view model. Views are rendered only for a state that differs from the one before.
///
/// The original library gives every state an `==` that is always false, unless the program writes its own. So
/// it renders views for equal states too. Here `==` is the state's own, synthesised or written.
public protocol ViewState: Equatable, Sendable {}
