import Foundation
import Testing

@testable import Journal

/// What the codes of SQLite mean, https://sqlite.org/rescode.html.
struct SQLiteFailureTests {
    private let file = JournalFile(given: "run.journal", path: "/run.journal")

    @Test func codes_haveTheirKind_whenTheFileIsOpenedOrRead() {
        let cases: [(code: Int32, kind: JournalError.Kind, text: String)] = [
            (5, .inUse, "is locked by another process: words"),
            (261, .inUse, "is locked by another process: words"),
            (6, .inUse, "is locked by another process: words"),
            (8, .inaccessible, "cannot be read: words"),
            (1_544, .inaccessible, "cannot be read: words"),
            (10, .inaccessible, "cannot be read: input/output error"),
            (266, .inaccessible, "cannot be read: input/output error"),
            (11, .damaged(position: 7), "is damaged: words"),
            (779, .damaged(position: 7), "is damaged: words"),
            (13, .inaccessible, "cannot be read: no space left on device"),
            (14, .inaccessible, "cannot be read: input/output error"),
            (26, .notAJournal, "is not a journal: words"),
            (7, .inaccessible, "cannot be read: words"),
        ]
        for (code, kind, text) in cases {
            let failure = SQLiteFailure(code: code, system: EIO, reason: "words")
            #expect(
                file.error(failure, .reading(position: 7)) == JournalError(kind, "`run.journal` \(text)"))
            guard code & 0xff != 11 else { continue }
            #expect(file.error(failure, .opening).kind == kind)
        }
    }

    @Test(arguments: [5, 6, 7, 8, 10, 11, 13, 14, 19, 26, 1_034] as [Int32])
    func eachCode_ofAWrite_meansThatItIsNotDurable(code: Int32) {
        let error = file.error(SQLiteFailure(code: code, system: EIO, reason: "words"), .writing)
        #expect(error.kind == .notDurable)
        #expect(error.description.hasPrefix("`run.journal` could not be written: "))
    }

    @Test func failure_withoutAnErrorNumber_hasTheWordsOfSQLite() {
        let failure = SQLiteFailure(code: 1_034, reason: "disk I/O error")
        #expect(
            file.error(failure, .copying(to: "copy"))
                == JournalError(.inaccessible, "`run.journal` cannot be copied to `copy`: disk I/O error"))
    }
}
