public import Diagnostics

// Errors when a library is loaded (P020 to P039).
extension DiagnosticCode {
    /// P020: the host cannot write its folder for copies of libraries.
    public static let notStaged = DiagnosticCode("P020")
    /// P021: the dynamic loader cannot load the library, or one that it needs.
    public static let notLoaded = DiagnosticCode("P021")
    /// P022: the library has no function with that name.
    public static let missingSymbol = DiagnosticCode("P022")
    /// P023: the library's notes and its table differ.
    public static let contradictoryPlugin = DiagnosticCode("P023")
    /// P024: the symbol is not a function that the host can call.
    public static let notCallable = DiagnosticCode("P024")
    /// P025: a constructor of a library does not return in time for a swap.
    public static let heldUp = DiagnosticCode("P025")
    /// P096: a private library of a plugin has changed, and cannot be swapped with it.
    public static let privateLibraryStays = DiagnosticCode("P096")
    /// P030: the program that reads the output has ended.
    public static let outputClosed = DiagnosticCode("P030")
    /// P031: the output cannot be written.
    public static let outputFailed = DiagnosticCode("P031")
}

// Errors of an instance of a plugin (P060 to P069).
extension DiagnosticCode {
    /// P060: an instance of a plugin cannot be created or started.
    public static let instanceFailed = DiagnosticCode("P060")
    /// P061: an instance cannot restore a saved state.
    public static let stateRefused = DiagnosticCode("P061")
    /// P062: an instance does not take over changed settings.
    public static let settingsRefused = DiagnosticCode("P062")
}

// Errors of a call into a library (R020 to R029).
extension DiagnosticCode {
    /// R020: a plugin's function threw a C++ exception.
    public static let callThrew = DiagnosticCode("R020")
    /// R021: a function wrote outside an out-parameter.
    public static let callOverran = DiagnosticCode("R021")
    /// R022: an argument that cannot be passed to C.
    public static let badArgument = DiagnosticCode("R022")
    /// R023: a function returned or wrote a value that is not of the declared type.
    public static let badResult = DiagnosticCode("R023")
    /// R024: an effect emitted a value that does not match its emitter.
    public static let badEmission = DiagnosticCode("R024")
    /// R025: a reducer returned neither `SPIN_OK` nor `SPIN_UNHANDLED`.
    public static let reducerFailed = DiagnosticCode("R025")
    /// R026: a reducer left a state that is not valid.
    public static let badState = DiagnosticCode("R026")
    /// R027: too many calls of plugins have not ended.
    public static let tooManyCalls = DiagnosticCode("R027")
}

// Errors of plugins in processes of their own (R130 and R131).
extension DiagnosticCode {
    /// R130: the worker of a plugin has ended, and with it a call.
    public static let workerEnded = DiagnosticCode("R130")
    /// R131: a worker could not be started.
    public static let workerNotStarted = DiagnosticCode("R131")
}

// Errors of calls of a guarded plugin (R120 and R121).
extension DiagnosticCode {
    /// R120: a call into a plugin crashed, and the host no longer calls the plugin.
    public static let callCrashed = DiagnosticCode("R120")
    /// R121: the host does not call a plugin that has crashed.
    public static let quarantined = DiagnosticCode("R121")
}
