public import Diagnostics

/// The codes of what can be wrong with a manifest, T for TOML and M for the rest. A code never changes its meaning.
public enum ManifestCode: String, Sendable, CaseIterable {
    case syntax = "T001"
    case definedTwice = "T002"
    case inlineTableExtended = "T003"
    case headerAfterDottedKey = "T004"
    case nestedTooDeep = "T005"

    case fileMissing = "M001"
    case fileNotRegular = "M002"
    case fileUnreadable = "M003"
    case fileEmpty = "M004"
    case fileTooLarge = "M005"
    case fileNotUTF8 = "M006"
    case unknownKey = "M007"
    case notSupportedYet = "M008"
    case wrongType = "M009"
    case missingKey = "M010"
    case invalidName = "M011"
    case unknownField = "M012"
    case unknownEvent = "M013"
    case unknownPlugin = "M014"
    case unknownEffect = "M015"
    case unknownType = "M016"
    case untypedLiteral = "M017"
    case doesNotConvert = "M018"
    case typeNameAsValue = "M019"
    case missingField = "M020"
    case conflictingKeys = "M021"
    case unknownWord = "M022"
    case malformedEffect = "M023"
    case malformedOverride = "M024"
    case unknownConstant = "M025"
    case missingSymbol = "M026"
    case outsideItsTable = "M027"
    case tooManyFaults = "M028"

    /// The code, as diagnostics carry it.
    public var code: DiagnosticCode { DiagnosticCode(rawValue) }

    /// What it means, in one line.
    public var meaning: String {
        switch self {
        case .syntax: "the file is not TOML"
        case .definedTwice: "a key or table stands twice"
        case .inlineTableExtended: "a table written in braces is extended outside of them"
        case .headerAfterDottedKey: "a header names a table that a dotted key has made"
        case .nestedTooDeep: "values or keys are nested too deep"
        case .fileMissing: "there is no such file"
        case .fileNotRegular: "a folder, pipe, socket or device instead of a file"
        case .fileUnreadable: "the file cannot be read"
        case .fileEmpty: "the file has no content"
        case .fileTooLarge: "the file is larger than 4 MiB"
        case .fileNotUTF8: "the file is not UTF-8"
        case .unknownKey: "a key that manifests do not have"
        case .notSupportedYet: "a key or value that this version does not support"
        case .wrongType: "a value of another kind is needed"
        case .missingKey: "a key that must be there is not"
        case .invalidName: "a name breaks the rule for names"
        case .unknownField: "a field that the record does not have"
        case .unknownEvent: "an event that the loop does not declare"
        case .unknownPlugin: "a plugin that the manifest does not name"
        case .unknownEffect: "an effect that the plugin does not have"
        case .unknownType: "a type that does not exist"
        case .untypedLiteral: "a literal whose type cannot be told"
        case .doesNotConvert: "a value does not convert to its type, or does not fit it"
        case .typeNameAsValue: "a text that is the name of a type, and probably meant as one"
        case .missingField: "a field that must be given is not"
        case .conflictingKeys: "keys that exclude or need one another"
        case .unknownWord: "none of the words that this key takes"
        case .malformedEffect: "an effect that is not written `plugin:effect`"
        case .malformedOverride: "an override that is not written `NAME=VALUE`"
        case .unknownConstant: "an override of a constant that `config` does not have"
        case .missingSymbol: "the plugin's library does not export a function"
        case .outsideItsTable: "a key of a loop stands below a later header and belongs to that one"
        case .tooManyFaults: "there are more faults than are shown"
        }
    }

    /// True for a file that cannot be read at all, as opposed to one whose content is at fault.
    public var isUnreadable: Bool {
        switch self {
        case .fileMissing, .fileNotRegular, .fileUnreadable: true
        default: false
        }
    }
}
