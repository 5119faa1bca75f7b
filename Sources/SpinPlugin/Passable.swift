public import CPluginABI

/// A type that effects may take. For the macros.
public protocol Passable {
    /// The type in C.
    associatedtype SpinC

    /// A copy of what the host passes.
    static func passed(_ value: SpinC) -> Self
}

/// A type that events may have. For the macros.
public protocol Emittable {
    /// The type in C.
    associatedtype SpinC

    /// Calls `body` with what the host gets, which is valid until `body` returns.
    func given<Result>(_ body: (SpinC) -> Result) -> Result
}

/// A type that effects may return. For the macros.
public protocol Returnable: Passable {
    /// What the host gets.
    var spinResult: SpinC { get }
}

/// A number or a `Bool`, which is the same in C. For the macros.
public protocol Plain: Emittable, Returnable where SpinC == Self {}

extension Plain {
    /// The value itself.
    @inlinable public static func passed(_ value: Self) -> Self { value }
    /// Passes the value itself.
    @inlinable public func given<Result>(_ body: (Self) -> Result) -> Result { body(self) }
    /// The value itself.
    @inlinable public var spinResult: Self { self }
}

extension Bool: Plain {}
extension Int8: Plain {}
extension Int16: Plain {}
extension Int32: Plain {}
extension Int64: Plain {}
extension UInt8: Plain {}
extension UInt16: Plain {}
extension UInt32: Plain {}
extension UInt64: Plain {}
extension Float: Plain {}
extension Double: Plain {}

extension Duration: Emittable, Returnable {
    /// For the macros.
    public static func passed(_ value: Int64) -> Duration { .nanoseconds(value) }
    /// For the macros. Limited to the range of `Int64`.
    public func given<Result>(_ body: (Int64) -> Result) -> Result { body(nanoseconds) }
    /// For the macros.
    public var spinResult: Int64 { nanoseconds }
}

extension String: @unsafe Passable, @unsafe Emittable {
    /// For the macros.
    public static func passed(_ value: spin_string) -> String {
        // Safe because the host keeps the text during the call.
        unsafe String(
            decoding: UnsafeRawBufferPointer(start: value.data, count: value.data == nil ? 0 : value.size),
            as: UTF8.self)
    }

    /// For the macros.
    @inlinable public func given<Result>(_ body: (spin_string) -> Result) -> Result {
        var copy = self
        // Safe because the host copies the text while `body` runs.
        return copy.withUTF8 { text in
            unsafe text.withMemoryRebound(to: CChar.self) { text in
                unsafe body(spin_string(data: text.baseAddress, size: text.count))
            }
        }
    }
}

extension SharedBytes: @unsafe Emittable {
    /// For the macros. The host shares the bytes.
    public func given<Result>(_ body: (spin_bytes) -> Result) -> Result {
        // Safe because the object keeps the bytes while `body` runs.
        unsafe withBytes { bytes in
            unsafe body(
                spin_bytes(data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count))
        }
    }
}

extension Array: Passable where Element: PassableElement {
    /// For the macros.
    public static func passed(_ value: Element.SpinList) -> [Element] { Element.elements(value) }
}

extension Array: @unsafe Emittable where Element == UInt8 {
    /// For the macros.
    @inlinable public func given<Result>(_ body: (spin_bytes) -> Result) -> Result {
        // Safe because the host copies the bytes while `body` runs.
        unsafe withUnsafeBufferPointer { bytes in
            unsafe body(spin_bytes(data: bytes.baseAddress, size: bytes.count))
        }
    }
}

/// A type of elements of lists that effects may take: `UInt8` and `String`. For the macros.
public protocol PassableElement {
    /// The list in C.
    associatedtype SpinList

    /// A copy of what the host passes.
    static func elements(_ list: SpinList) -> [Self]
}

extension UInt8: @unsafe PassableElement {
    /// For the macros.
    public static func elements(_ list: spin_bytes) -> [UInt8] {
        // Safe because the host keeps the bytes during the call.
        unsafe Array(UnsafeBufferPointer(start: list.data, count: list.data == nil ? 0 : list.size))
    }
}

extension String: @unsafe PassableElement {
    /// For the macros.
    public static func elements(_ list: spin_list_string) -> [String] {
        // Safe because the host keeps the texts during the call.
        unsafe UnsafeBufferPointer(start: list.items, count: list.items == nil ? 0 : list.count)
            .map { unsafe passed($0) }
    }
}
