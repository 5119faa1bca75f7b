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
