/// The addresses of files that a client uses: `file:///home/ada/app.toml`.
enum FileAddress {
    /// The path of an address. An address of something else, such as a text without a file, is its own path.
    static func path(of address: String) -> String {
        let scheme = "file://"
        guard address.hasPrefix(scheme) else { return address }
        // After the scheme comes the name of the machine, which is empty or this one.
        let rest = address.utf8.dropFirst(scheme.utf8.count).drop { $0 != UInt8(ascii: "/") }
        var bytes: [UInt8] = []
        var index = rest.startIndex
        while index < rest.endIndex {
            let digits = rest[index...].dropFirst().prefix(2)
            if rest[index] == UInt8(ascii: "%"), digits.count == 2,
                let byte = UInt8(String(Substring(digits)), radix: 16)
            {
                bytes.append(byte)
                index = digits.endIndex
            } else {
                bytes.append(rest[index])
                index = rest.index(after: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address of a path. Relative paths begin in a folder.
    static func address(of path: String, in folder: String) -> String {
        guard path.hasPrefix("/") || !path.contains(":") else { return path }
        let absolute = path.hasPrefix("/") ? path : "\(folder)/\(path)"
        return "file://"
            + absolute.utf8.map { byte in
                let scalar = Unicode.Scalar(byte)
                if scalar.isASCII, scalar.properties.isAlphabetic || plain.contains(byte) {
                    return String(scalar)
                }
                let digits = String(byte, radix: 16, uppercase: true)
                return "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }.joined()
    }

    private static let plain = Set("/-._~0123456789".utf8)
}
