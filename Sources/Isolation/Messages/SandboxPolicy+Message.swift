import Records
import Sandbox

extension SandboxPolicy {
    func write(to writer: ByteWriter) {
        for paths in [read, write, exec, libraries, connect.map(\.description), listen.map { String($0) }] {
            writer.put(count: paths.count)
            for path in paths { writer.put(path) }
        }
        writer.put(optional: scratch)
        writer.put(signed: memory.map { Int64(clamping: $0) } ?? -1)
        writer.put(signed: files.map { Int64($0) } ?? -1)
        writer.put(count: processes)
        writer.put(byte: seesOtherProcesses ? 1 : 0)
        writer.put(byte: isBestEffort ? 1 : 0)
        writer.put(byte: observation == .off ? 0 : observation == .accesses ? 1 : 2)
    }

    init(_ reader: inout ByteReader) throws(DamagedBytes) {
        var lists: [[String]] = []
        for _ in 0..<6 {
            var list: [String] = []
            for _ in 0..<(try reader.count()) { list.append(try reader.text()) }
            lists.append(list)
        }
        let (scratch, memory, files) = (try reader.optionalText(), try reader.signed(), try reader.signed())
        self.init(
            read: lists[0], write: lists[1], exec: lists[2], connect: Set(lists[4].compactMap { Peer($0) }),
            listen: Set(lists[5].compactMap { UInt16($0) }), libraries: lists[3], scratch: scratch,
            memory: memory < 0 ? nil : UInt64(memory),
            files: files < 0 ? nil : Int(files), processes: try reader.number(upTo: .max))
        (seesOtherProcesses, isBestEffort) = (try reader.byte() != 0, try reader.byte() != 0)
        observation = [.off, .accesses, .profile][try reader.index(below: 3)]
    }
}
