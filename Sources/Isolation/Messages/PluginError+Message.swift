import Diagnostics
import PluginHost
import Records

extension PluginError {
    func write(to writer: ByteWriter) {
        writer.put(code.rawValue)
        writer.put(message)
        writer.put(count: help.count)
        for line in help { writer.put(line) }
        writer.put(library)
        writer.put(symbol)
        writer.put(optional: cause?.rawValue)
    }

    /// Reads an error of a worker.
    init(_ reader: inout ByteReader) throws(DamagedBytes) {
        let (code, message) = (try DiagnosticCode(&reader), try reader.text())
        var help: [String] = []
        for _ in 0..<(try reader.count()) { help.append(try reader.text()) }
        let (library, symbol) = (try reader.text(), try reader.text())
        let cause = try reader.byte() == 0 ? nil : try DiagnosticCode(&reader)
        self.init(code, message, help: help, library: library, symbol: symbol, cause: cause)
    }
}

extension DiagnosticCode {
    /// Reads the code of an error: a capital letter and three digits.
    fileprivate init(_ reader: inout ByteReader) throws(DamagedBytes) {
        let text = try reader.text()
        let bytes = Array(text.utf8)
        guard bytes.count == 4, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[0]),
            bytes[1...].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw DamagedBytes("a code of an error is not one") }
        self.init(text)
    }
}
