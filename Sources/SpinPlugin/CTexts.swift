/// Texts for a function of C.
enum CTexts {
    /// Calls `body` with NUL-terminated copies of the texts, valid until it returns.
    static func with<Result>(
        _ texts: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        var bytes: [UInt8] = []
        let places = texts.map { text in
            defer { bytes += text.utf8 + [0] }
            return bytes.count
        }
        return unsafe bytes.withUnsafeBytes { bytes in
            // Safe because the places lie within the bytes; without texts there is no place.
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let pointers: [UnsafePointer<CChar>?] = unsafe places.map { unsafe base! + $0 }
            return unsafe pointers.withUnsafeBufferPointer(body)
        }
    }
}
