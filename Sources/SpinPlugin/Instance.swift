/// A class whose objects keep what a plugin needs between calls: the class with the macro `@Instance`. An
/// effect takes it as a parameter.
///
/// The host makes one for each loop that uses the plugin, or one for the whole app. It calls the functions of
/// an instance one at a time, on any of its threads.
public protocol Instance: AnyObject {
    /// The struct with `@Settings`, or `NoSettings`.
    associatedtype Settings: SpinPlugin.Settings

    /// Makes an instance with the manifest's settings. It must do no input or output and start no thread.
    /// When it throws, the app ends before it begins; a `Status` is the failure's code, the error's
    /// description its text.
    init(_ call: Call, settings: Settings) throws
}

/// An instance that starts and stops: a class with `@Instance` and `@Life`.
public protocol Life: Instance {
    /// Opens, connects, starts threads. It returns before the initial state of a loop reaches a feedback.
    /// When it throws, the host releases the instance without `stop`, and the app ends before it begins.
    func start(_ call: Call) throws

    /// Undoes `start`. All effects of the instance have returned and all calls are over. It must return soon.
    func stop()
}
