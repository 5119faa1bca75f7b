public import Interfaces
public import Records

/// A plugin that another process has loaded (`isolation = "process"`). May be used from any thread.
public protocol RemotePlugin: AnyObject, Sendable {
    /// Has the process prepare calls of a function, and waits for its answer.
    ///
    /// - Parameters:
    ///   - signature: its arguments and its result.
    ///   - name: the effect's name, or the function's.
    ///   - isEffect: whether the plugin declares it as an effect.
    ///   - release: the function that frees the strings that it returns; nil if none does.
    /// - Throws: the process's error, and `DiagnosticCode.workerEnded` if it has ended.
    func prepare(
        _ signature: CallSignature, of name: String, isEffect: Bool, freeing release: String?
    ) throws(PluginError) -> any RemoteFunction

    /// An instance in the process, which nothing has made yet.
    func makeInstance() -> any RemoteInstance

    /// A call of the plugin has opened a pointer, which is closed at the latest when its process ends.
    func opened(_ address: UInt)

    /// A call of the plugin closes a pointer.
    func closed(_ address: UInt)

    /// Has the process close a pointer by this function, and waits until it has, unless the process that has opened it
    /// has ended.
    func close(_ address: UInt, by function: String)

    /// The host has cancelled a call, which may have ended meanwhile. Returns at once.
    func cancel(_ call: CallToken)

    /// Why its process is not started for a while, so that calls fail at once, in words; nil if it is.
    var restReason: String? { get }

    /// Nothing refers to the plugin any more. Returns at once.
    func end()
}

/// A function of a plugin in another process.
public protocol RemoteFunction: AnyObject, Sendable {
    /// Has the process make a call, and returns before the function does. The sink hears `returned` once.
    ///
    /// - Parameters:
    ///   - call: the memory of the arguments, which are read before this returns, and of the outcome. Its instance is
    ///     the one that the call is made for.
    ///   - token: the running call.
    ///   - sink: hears what becomes of the call.
    ///   - lane: the process makes calls of one lane one at a time, in order. Lane 0: any number at once.
    ///   - isOnProbation: whether it is one of the first calls of its version.
    /// - Throws: `DiagnosticCode.badArgument` if the arguments are too long to be passed, and the reason if no process
    ///   can make the call. The sink hears nothing then.
    func begin(
        _ call: PreparedCall, _ token: CallToken, _ sink: any CallSink, lane: UInt64, isOnProbation: Bool
    ) throws(PluginError)
}

/// An instance of a plugin in another process. Each function waits for the plugin's, and throws as that of
/// `PluginInstance` does, or `DiagnosticCode.workerEnded`.
public protocol RemoteInstance: AnyObject, Sendable {
    /// Makes it with these settings.
    func create(_ config: Record?) throws(PluginError)
    /// Starts it.
    func start() throws(PluginError)
    /// Has it take over other settings.
    func reconfigure(_ config: Record) throws(PluginError)
    /// Stops it.
    func stop() throws(PluginError)
    /// Frees it.
    func destroy() throws(PluginError)
    /// Saves its state.
    func save() throws(PluginError) -> SavedState
    /// Gives it a saved state.
    func restore(_ state: SavedState) throws(PluginError)
}
