/// Something that shows the state of a view model; any object.
public protocol StatefulView<State>: AnyObject, Sendable {
    /// What it shows.
    associatedtype State: ViewState

    /// Whether it can be rendered now; asked before each rendering, where that happens.
    var renderPolicy: RenderPolicy { get }

    /// Shows a state.
    ///
    /// Called on the thread that changed the view model, after its transaction, or that subscribed the view;
    /// one call at a time for the views of one view model. It may write to view models. The original library
    /// renders on the main thread.
    func render(state: State)
}

extension StatefulView {
    /// `.possible`.
    public var renderPolicy: RenderPolicy { .possible }
}

/// Whether a view can be rendered now.
public enum RenderPolicy: Sendable, Hashable {
    /// It can.
    case possible
    /// It cannot: the state is not shown.
    case notPossible(Reason)

    /// Why a view cannot be rendered.
    public enum Reason: Sendable, Hashable {
        /// The view is not ready: it is skipped, and rendered at the next change.
        ///
        /// In the original library that ends the program.
        case viewNotReady
        /// The view is gone for good: its subscription ends.
        case viewDeallocated
    }
}

/// What a view model holds and its views show: a value, compared to see whether there is anything to render.
///
/// The original library gives every state an `==` that is always false, so that its views are rendered for
/// equal states too unless the program writes its own. Here `==` is the state's, synthesised or written.
public protocol ViewState: Equatable, Sendable {}
