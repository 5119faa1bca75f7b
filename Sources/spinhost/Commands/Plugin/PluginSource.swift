/// The code that `spinhost plugin new` begins with.
enum PluginSource {
    /// The files of a plugin of that name, as `PluginLanguage.sources` names them.
    static func files(_ language: PluginLanguage, plugin name: String) -> [ProjectFolder.File] {
        let texts =
            switch language {
            case .c: [c]
            case .cPlusPlus: [cPlusPlus]
            case .swift: [swift, swiftNotes]
            }
        return zip(language.sources, texts).map { file, text in
            ProjectFolder.File(name: file, text: text.replacing("NAME", with: name))
        }
    }

    private static let c = #"""
        // The effects of this plugin. What an effect finds out becomes an event; what that means says the reducer in app.toml.
        #include <spinhost/plugin.h>

        SPIN_PLUGIN("NAME", "0.1.0");
        SPIN_EMITTER(word, (spin_string, text));

        // The first place from `at` on that is no space, or with `is_space` 0 that is one.
        static size_t skip(spin_string text, size_t at, int is_space) {
            while (at < text.size && (text.data[at] == ' ') == is_space)
                at++;
            return at;
        }

        // This one answers by returning.
        static int64_t count(spin_string text) {
            int64_t words = 0;
            for (size_t at = skip(text, 0, 1); at < text.size; at = skip(text, skip(text, at, 0), 1))
                words++;
            return words;
        }
        SPIN_EFFECT(int64_t, count, (spin_string text), "How many words `text` has.");

        // This one answers by emitting, from any thread and as often as it likes, until it finishes.
        static void split(spin_call *call, spin_string text) {
            for (size_t at = skip(text, 0, 1); at < text.size;) {
                size_t end = skip(text, at, 0);
                word(call, (spin_string){text.data + at, end - at});
                at = skip(text, end, 1);
            }
            spin_finish(call);
        }
        SPIN_EFFECT(void, split, (spin_call *call, spin_string text), "Emits `word` for each word of `text`.");

        """#

    private static let cPlusPlus = #"""
        // The effects of this plugin. What an effect finds out becomes an event; what that means says the reducer in app.toml.
        // An exception that leaves an effect is a fault of its call.
        #include <spinhost/plugin.h>
        #include <algorithm>
        #include <string_view>
        #include <vector>

        SPIN_PLUGIN("NAME", "0.1.0");
        SPIN_EMITTER(word, (spin_string, text));

        static std::vector<std::string_view> words(std::string_view text) {
            std::vector<std::string_view> found;
            for (size_t at = text.find_first_not_of(' '); at != text.npos; at = text.find_first_not_of(' ', at)) {
                const size_t end = std::min(text.find(' ', at), text.size());
                found.push_back(text.substr(at, end - at));
                at = end;
            }
            return found;
        }

        // This one answers by returning.
        static int64_t count(spin_string text) {
            return static_cast<int64_t>(words({text.data, text.size}).size());
        }
        SPIN_EFFECT(int64_t, count, (spin_string text), "How many words `text` has.");

        // This one answers by emitting, from any thread and as often as it likes, until it finishes.
        static void split(spin_call *call, spin_string text) {
            for (const std::string_view found : words({text.data, text.size})) {
                word(call, spin_string{found.data(), found.size()});
            }
            spin_finish(call);
        }
        SPIN_EFFECT(void, split, (spin_call *call, spin_string text), "Emits `word` for each word of `text`.");

        """#

    private static let swift = #"""
        // The effects of this plugin. What an effect finds out becomes an event; what that means says the reducer in app.toml.
        import SpinPlugin

        /// How many words `text` has.
        @c(count)
        func count(_ text: UnsafePointer<CChar>) -> Int64 {
            let words = String(cString: text).split(separator: " ").count
            Host.log("counted \(words) words", level: .debug)
            return Int64(words)
        }

        """#

    private static let swiftNotes = #"""
        // What plugin.swift offers: each effect once more, for the host to read. The compiler compares it with the function.
        #include <spinhost/plugin.h>

        SPIN_PLUGIN("NAME", "0.1.0");
        SPIN_EFFECT(int64_t, count, (const char *text), "How many words `text` has.");

        """#
}
