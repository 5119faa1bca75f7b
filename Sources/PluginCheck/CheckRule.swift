import Diagnostics
import Interfaces

/// A rule for plugins that can be tried on a single plugin.
public enum CheckRule: String, CaseIterable, Sendable {
    case wholeLibrary = "whole-library"
    case noExecutableStack = "no-executable-stack"
    case noUniqueSymbols = "no-unique-symbols"
    case readableNotes = "readable-notes"
    case abiVersion = "abi-version"
    case identity
    case differentNames = "different-names"
    case declarations
    case callable
    case exports
    case loads
    case loadsTwice = "loads-twice"
    case quietLoading = "quiet-loading"
    case instances
    case savedState = "saved-state"
    case strangeState = "strange-state"
    case life
    case changedSettings = "changed-settings"
    case callsReturn = "calls-return"
    case validResults = "valid-results"
    case headerRules = "header-rules"
    case cancels
    case leavesNothing = "leaves-nothing"

    /// How much of a plugin's code must run to try the rule.
    public enum Stage: Sendable {
        /// None of its code runs.
        case file
        /// It is loaded, so its constructors run.
        case loading
        /// Instances are created and destroyed. An instance does no input or output before it is started.
        case instances
        /// An instance is started.
        case life
        /// An effect is called with random arguments.
        case calls
    }

    /// How much of the plugin's code must run to try it.
    public var stage: Stage {
        switch self {
        case .wholeLibrary, .noExecutableStack, .noUniqueSymbols, .readableNotes, .abiVersion, .identity,
            .differentNames, .declarations, .callable, .exports:
            .file
        case .loads, .loadsTwice, .quietLoading: .loading
        case .instances, .savedState, .strangeState: .instances
        case .life, .changedSettings: .life
        case .callsReturn, .validResults, .headerRules, .cancels, .leavesNothing: .calls
        }
    }

    /// The rule that is broken by notes which the host refuses with a code.
    static func ofNotes(_ code: DiagnosticCode) -> CheckRule {
        switch code {
        case .abiMismatch: .abiVersion
        case .pluginIdentity: .identity
        case .pluginDeclaresTwice: .differentNames
        case .fileMalformed: .readableNotes
        default: .declarations
        }
    }

    /// True for a rule about notes.
    var isOfNotes: Bool {
        switch self {
        case .readableNotes, .abiVersion, .identity, .differentNames, .declarations, .callable, .exports: true
        default: false
        }
    }
}
