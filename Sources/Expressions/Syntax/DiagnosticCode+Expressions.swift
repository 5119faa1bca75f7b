public import Diagnostics

/// The faults of expressions: E001 to E029 when one is loaded, E030 and on when one is evaluated. A fault of
/// the second kind is reported at load when constants alone cause it.
extension DiagnosticCode {
    /// A character that begins nothing.
    public static let unexpectedCharacter = DiagnosticCode("E001")
    /// A string or bytes literal without its closing quote.
    public static let unclosedLiteral = DiagnosticCode("E002")
    /// An escape in a literal that does not exist, or is incomplete.
    public static let invalidEscape = DiagnosticCode("E003")
    /// A number literal that is malformed or beyond its type.
    public static let invalidNumber = DiagnosticCode("E004")
    /// The grammar wants something else here.
    public static let unexpectedToken = DiagnosticCode("E005")
    /// Nested deeper than an expression may be.
    public static let nestedTooDeep = DiagnosticCode("E006")
    /// Longer than an expression may be.
    public static let expressionTooLong = DiagnosticCode("E007")
    /// A name that CEL reserves.
    public static let reservedName = DiagnosticCode("E008")
    /// Part of CEL that this version does not do.
    public static let notSupportedYet = DiagnosticCode("E009")
    /// A name that nothing in scope has.
    public static let unknownName = DiagnosticCode("E010")
    /// A field that the record does not have.
    public static let unknownField = DiagnosticCode("E011")
    /// A function that does not exist.
    public static let unknownFunction = DiagnosticCode("E012")
    /// An operator or function that does not take operands of these types.
    public static let noOverload = DiagnosticCode("E013")
    /// A value of another type is needed here.
    public static let wrongType = DiagnosticCode("E014")
    /// A text compared with an enumeration, or stored in one, that is not a member.
    public static let notAMember = DiagnosticCode("E015")
    /// Operands that can never be equal.
    public static let neverEqual = DiagnosticCode("E016")
    /// A value that does not convert to the type it is stored as.
    public static let doesNotConvert = DiagnosticCode("E017")
    /// A record built without one of its fields, or with one that it does not have.
    public static let wrongFields = DiagnosticCode("E018")
    /// `has` of something that is no field.
    public static let notAField = DiagnosticCode("E019")
    /// A macro such as `all` whose first argument is no plain name.
    public static let notAName = DiagnosticCode("E020")

    /// The result of arithmetic is beyond its type.
    public static let overflow = DiagnosticCode("E030")
    /// An integer divided by zero.
    public static let divisionByZero = DiagnosticCode("E031")
    /// An index outside the list.
    public static let indexOutOfBounds = DiagnosticCode("E032")
    /// A key that the map does not have.
    public static let noSuchKey = DiagnosticCode("E033")
    /// A value beyond the type it is converted to or stored as.
    public static let doesNotFit = DiagnosticCode("E034")
    /// Text or bytes that the conversion does not understand.
    public static let invalidText = DiagnosticCode("E035")
    /// A value is null where one is needed.
    public static let nullOperand = DiagnosticCode("E036")
    /// A key given twice, or of a type that cannot be one.
    public static let invalidKey = DiagnosticCode("E037")
    /// A value of unknown type turned out to be of the wrong one.
    public static let wrongDynamicType = DiagnosticCode("E038")
    /// A stored enumeration value that is no member's number.
    public static let invalidMember = DiagnosticCode("E039")
    /// More work or a larger result than one evaluation may cause.
    public static let tooMuchWork = DiagnosticCode("E040")
    /// A regular expression that is none, or larger than allowed.
    public static let invalidPattern = DiagnosticCode("E041")
    /// A format that is malformed, or does not go with its arguments.
    public static let invalidFormat = DiagnosticCode("E042")
}
