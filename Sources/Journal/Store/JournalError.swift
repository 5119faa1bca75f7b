/// Why a journal cannot be used, or not further.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds, with their codes in the documentation.
    public enum Kind: Hashable, Sendable {
        /// There is no library to read the file with (J001).
        case noLibrary
        /// What was stored is not what was written, from `position` on (J002).
        case damaged(position: UInt64)
        /// A later version has written it (J003).
        case newer
        /// It cannot be opened, made or written: permissions, a folder, no such file (J004).
        case inaccessible
        /// It is no journal (J004).
        case notAJournal
        /// Another process uses it (J010).
        case inUse
        /// It belongs to another app (J011).
        case otherApp
        /// It could not be written, and takes nothing any more (J020).
        case notDurable
        /// Another writer has appended to it.
        case notNext
    }

    /// What it is.
    public let kind: Kind
    /// For people: lower case, without a full stop, the faulty thing in backticks.
    public let description: String

    /// An error with its text.
    public init(_ kind: Kind, _ description: String) {
        (self.kind, self.description) = (kind, description)
    }
}
