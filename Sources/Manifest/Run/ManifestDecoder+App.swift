extension ManifestDecoder {
    /// `mailbox` of the app or of a loop; nil if the key is absent.
    func decodeMailbox(_ owner: TableReader, _ form: ManifestTable) -> MailboxModel? {
        guard let table = owner.table("mailbox", form) else { return nil }
        return MailboxModel(
            capacity: table.integer("capacity", in: 1...Self.greatestCapacity)
                ?? MailboxModel.standard.capacity,
            overflow: table.word("overflow", as: MailboxModel.Overflow.self)
                ?? MailboxModel.standard.overflow)
    }

    private static let greatestCapacity = 1 << 30

    /// `log`: a level, or a table with level and format.
    func decodeLog(_ app: TableReader) -> LogModel {
        let standard = LogModel.standard
        guard let node = app.value("log") else { return standard }
        guard node.kind == .table, let table = app.table("log", .log) else {
            return LogModel(
                level: app.word("log", as: LogModel.Level.self) ?? standard.level, format: standard.format)
        }
        return LogModel(
            level: table.word("level", as: LogModel.Level.self) ?? standard.level,
            format: table.word("format", as: LogModel.Format.self) ?? standard.format)
    }
}
