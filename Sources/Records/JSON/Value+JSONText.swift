extension Value {
    /// The value as JSON on one line, without spaces.
    ///
    /// Keys keep their order. These values have a special form:
    ///
    /// - integers keep all 64 bits
    /// - NaN and the infinities are `"NaN"`, `"Infinity"` and `"-Infinity"`
    /// - bytes are base64
    /// - a duration is `"1.5s"`
    /// - a timestamp is RFC 3339 in UTC
    /// - a pointer is `null`
    /// - a type is its name
    /// - an optional is its value, or `null`
    /// - an IP address or a range of them is its text
    /// - a key that is not a string is a string with the JSON of the key
    public var json: String {
        var bytes: [UInt8] = []
        bytes.appendJSON(self)
        return String(decoding: bytes, as: UTF8.self)
    }
}
