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
