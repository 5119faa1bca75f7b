public import Diagnostics

extension Replay {
    /// A recorded step that contradicts the manifest, or a line that is malformed.
    public struct Problem: Error, Sendable {
        /// The kind: `replayDiffers`, `notARecording` or `foreignRecording`.
        public let code: DiagnosticCode
        /// One sentence.
        public let message: String
        /// The names and `[index]`es that lead to the part of the line in question.
        public let path: [String]
        /// Facts, one line each.
        public let notes: [String]
        /// Advice, one line each.
        public let help: [String]
        /// The reducer's fault, when the recording has none there.
        public let fault: Diagnostic?

        init(
            _ code: DiagnosticCode, _ message: String, at path: [String] = [], notes: [String] = [],
            help: [String?] = [], fault: Diagnostic? = nil
        ) {
            (self.code, self.message, self.path, self.notes) = (code, message, path, notes)
            (self.help, self.fault) = (help.compactMap { $0 }, fault)
        }
    }
}
