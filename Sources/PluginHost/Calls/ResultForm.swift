import Interfaces
import Records

/// The conversion of the result in a call's slot to the value of `result`.
enum ResultForm {
    /// There is no result.
    case none
    /// A `bool`: the lowest byte, any bits of it.
    case bool
    /// An integer, enumeration or pointer of so many bytes; a narrow one was widened to a register.
    case word(size: Int)
    /// A `float` or `double` of so many bytes.
    case floating(size: Int)
    /// A string, bytes or structure, whose content is checked and copied.
    case copied

    /// The form of what a function returns; nil for nothing.
    init(_ received: ReceivedValue?) {
        guard let received else {
            self = .none
            return
        }
        switch (received.form, received.type) {
        case (.plain, .bool): self = .bool
        case (.plain, .integer), (.plain, .duration), (.plain, .timestamp), (.plain, .pointer):
            self = .word(size: received.type.size)
        case (.plain, .float), (.plain, .double): self = .floating(size: received.type.size)
        default: self = .copied
        }
    }
}
