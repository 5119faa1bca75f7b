/// What the host tells a worker. The first of all is `begin`.
enum HostMessage: UInt32 {
    /// The rules that the worker must keep to, and its work if that is not to serve plugins.
    case begin
    /// Load a library. A request.
    case load
    /// Prepare calls of a function. A request.
    case prepare
    /// Make a call.
    case call
    /// A call was cancelled.
    case cancel
    /// Call a function of an instance's life. A request.
    case instance
    /// There is room in a loop's mailbox.
    case room
    /// Close a pointer. A request.
    case close
    /// Send the metrics. A request.
    case metrics
}

/// What a worker tells the host, which trusts no part of it.
enum WorkerMessage: UInt32 {
    /// The answer to a request. That to request 0 says whether it keeps to the rules, that to request 1 is the result
    /// of a worker's work.
    case reply
    /// The function of a call has returned.
    case returned
    /// A call has emitted. The worker's thread waits for a status at a place for answers.
    case emitted
    /// A call has emitted something that is not valid.
    case rejected
    /// A call is done.
    case finished
    /// A call has failed.
    case failed
    /// A call waits for room in its loop's mailbox. Its thread waits for a status.
    case roomWanted
    /// A function has called a callback. Its thread waits for the result.
    case callback
    /// A call of a callback was not valid.
    case callbackRefused
    /// An emission came after the end of its call.
    case late
    /// A line for the log.
    case logged
    /// A line for the standard output. The worker's thread waits for a status.
    case printed
    /// A worker that does some work begins a part of it.
    case progress
}

/// A function of an instance's life.
enum InstanceStep: UInt8 {
    case create, start, reconfigure, stop, destroy, save, restore
}
