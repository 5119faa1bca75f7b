/// The source code that `spinhost plugin new` writes.
enum PluginSource {
    /// The source files of a plugin, with those of its build.
    static func files(_ language: PluginLanguage, plugin name: String) -> [ProjectFolder.File] {
        let files =
            switch language {
            case .c: [(language.source, c)]
            case .cPlusPlus: [(language.source, cPlusPlus)]
            case .swift: [(language.source, swift)]
            case .rust:
                [(language.source, rust), ("Cargo.toml", cargoManifest), ("Cargo.lock", cargoLock)]
            case .zig: [(language.source, zig), ("build.zig", zigBuild)]
            }
        return files.map { file, text in
            ProjectFolder.File(name: file, text: text.replacing("NAME", with: name))
        }
    }

    private static let c = #"""
        // The effects of this plugin. Their results become events, which the reducer in app.toml handles.
        #include <spinhost/plugin.h>

        SPIN_PLUGIN("NAME", "0.1.0");
        SPIN_EMITTER(word, (spin_string, text));

        // The first index from `at` on that is not a space; with `is_space` 0, the first that is a space.
        static size_t skip(spin_string text, size_t at, int is_space) {
            while (at < text.size && (text.data[at] == ' ') == is_space)
                at++;
            return at;
        }

        // This effect returns its result.
        static int64_t count(spin_string text) {
            int64_t words = 0;
            for (size_t at = skip(text, 0, 1); at < text.size; at = skip(text, skip(text, at, 0), 1))
                words++;
            return words;
        }
        SPIN_EFFECT(int64_t, count, (spin_string text), "The number of words in `text`.");

        // This effect emits results until it finishes. It may emit from any thread, and any number of times.
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
        // The effects of this plugin. Their results become events, which the reducer in app.toml handles.
        // If an effect throws an exception, its call has failed.
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

        // This effect returns its result.
        static int64_t count(spin_string text) {
            return static_cast<int64_t>(words({text.data, text.size}).size());
        }
        SPIN_EFFECT(int64_t, count, (spin_string text), "The number of words in `text`.");

        // This effect emits results until it finishes. It may emit from any thread, and any number of times.
        static void split(spin_call *call, spin_string text) {
            for (const std::string_view found : words({text.data, text.size})) {
                word(call, spin_string{found.data(), found.size()});
            }
            spin_finish(call);
        }
        SPIN_EFFECT(void, split, (spin_call *call, spin_string text), "Emits `word` for each word of `text`.");

        """#

    private static let swift = #"""
        // The effects of this plugin. Their results become events, which the reducer in app.toml handles.
        import SpinPlugin

        #plugin("NAME", "0.1.0")

        @Emitter func word(_ call: Call, text: String) -> Status

        // This effect returns its result.
        /// The number of words in `text`.
        @Effect func count(text: String) -> Int64 {
            Int64(text.split(separator: " ").count)
        }

        // This effect emits results until it finishes. It may emit from any thread, and any number of times.
        /// Emits `word` for each word of `text`.
        @Effect func split(_ call: Call, text: String) {
            for part in text.split(separator: " ") {
                // Another result means that the call was cancelled, or that the loop is full.
                guard word(call, text: String(part)) == .ok else { return }
            }
            call.finish()
        }

        """#
}
