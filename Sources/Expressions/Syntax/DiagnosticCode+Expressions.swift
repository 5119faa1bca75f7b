public import Diagnostics

/// The faults of expressions: E001 to E029 at load, E030 and above at evaluation. An evaluation fault that
/// constants alone cause is reported at load.
extension DiagnosticCode {
    /// A character that has no meaning in an expression.
    public static let unexpectedCharacter = DiagnosticCode("E001")
    /// A string or bytes literal without a closing quote.
    public static let unclosedLiteral = DiagnosticCode("E002")
    /// An unknown or incomplete escape in a literal.
    public static let invalidEscape = DiagnosticCode("E003")
    /// A number literal that is malformed or does not fit its type.
    public static let invalidNumber = DiagnosticCode("E004")
    /// A syntax error in an expression.
    public static let unexpectedToken = DiagnosticCode("E005")
    /// An expression that is nested too deeply.
    public static let nestedTooDeep = DiagnosticCode("E006")
    /// An expression that is too long.
    public static let expressionTooLong = DiagnosticCode("E007")
    /// A name that CEL reserves.
    public static let reservedName = DiagnosticCode("E008")
    /// A part of CEL that this version does not support.
    public static let notSupportedYet = DiagnosticCode("E009")
    /// A name that is not in scope.
    public static let unknownName = DiagnosticCode("E010")
    /// A field that the record does not have.
    public static let unknownField = DiagnosticCode("E011")
    /// A function that does not exist.
    public static let unknownFunction = DiagnosticCode("E012")
    /// An operator or function that does not accept operands of these types.
    public static let noOverload = DiagnosticCode("E013")
    /// A value of the wrong type.
    public static let wrongType = DiagnosticCode("E014")
    /// A text that is not a member of the enumeration.
    public static let notAMember = DiagnosticCode("E015")
    /// Operands that can never be equal.
    public static let neverEqual = DiagnosticCode("E016")
    /// A value that does not convert to the type of the target.
    public static let doesNotConvert = DiagnosticCode("E017")
    /// A record with missing, unknown or repeated fields.
    public static let wrongFields = DiagnosticCode("E018")
    /// An argument of `has` that is not a field.
    public static let notAField = DiagnosticCode("E019")
    /// A macro such as `all` whose first argument is not a plain name.
    public static let notAName = DiagnosticCode("E020")

    /// An arithmetic result that does not fit its type.
    public static let overflow = DiagnosticCode("E030")
    /// A division of an integer by zero.
    public static let divisionByZero = DiagnosticCode("E031")
    /// An index outside the list.
    public static let indexOutOfBounds = DiagnosticCode("E032")
    /// A key that the map does not have.
    public static let noSuchKey = DiagnosticCode("E033")
    /// A value that does not fit the type that it becomes.
    public static let doesNotFit = DiagnosticCode("E034")
    /// Text or bytes that the conversion cannot read.
    public static let invalidText = DiagnosticCode("E035")
    /// A null where a value is needed.
    public static let nullOperand = DiagnosticCode("E036")
    /// A map key that is given twice, or has an invalid type.
    public static let invalidKey = DiagnosticCode("E037")
    /// A value of the wrong type, found during evaluation.
    public static let wrongDynamicType = DiagnosticCode("E038")
    /// A stored number that is not a member of its enumeration.
    public static let invalidMember = DiagnosticCode("E039")
    /// An evaluation that takes too many steps, or makes too large a text.
    public static let tooMuchWork = DiagnosticCode("E040")
    /// A regular expression that is invalid or too large.
    public static let invalidPattern = DiagnosticCode("E041")
    /// A format that is malformed, or does not fit its arguments.
    public static let invalidFormat = DiagnosticCode("E042")
}
