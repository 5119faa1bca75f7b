/// What a new state means for a feedback that runs on a change of its request.
public enum RequestChange: Sendable, Hashable {
    /// The state asks for nothing: the run ends.
    case none
    /// The request is the one that runs or ran: nothing changes.
    case same
    /// The request differs: the run is replaced by a new one.
    case new
}
