import Diagnostics

extension DiagnosticCode {
    /// J001: there is no SQLite library, which a journal needs.
    static let noJournalLibrary = DiagnosticCode("J001")
    /// J002: a journal is damaged.
    static let journalDamaged = DiagnosticCode("J002")
    /// J003: a later version of spinhost has written the journal.
    static let journalTooNew = DiagnosticCode("J003")
    /// J004: the file cannot be opened or made, or is not a journal.
    static let noJournal = DiagnosticCode("J004")
    /// J005: a journal is on a file system whose locks may not hold.
    static let unreliableLocks = DiagnosticCode("J005")
    /// J010: another process writes to the journal.
    static let journalInUse = DiagnosticCode("J010")
    /// J011: the journal belongs to an app of another name.
    static let journalOfOtherApp = DiagnosticCode("J011")
    /// J012: a secret of `config` has another value than in the last process.
    static let secretChanged = DiagnosticCode("J012")
    /// J013: an app is recovered again and again, and makes no step.
    static let recoversAgain = DiagnosticCode("J013")
    /// J020: the journal cannot be written any more.
    static let journalNotDurable = DiagnosticCode("J020")
}
