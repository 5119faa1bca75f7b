import TestSupport
import Testing

/// Plays what the README shows of `spinhost dev`.
@Suite(.timeLimit(.minutes(10))) struct DevStoryTests {
    @Test func whatTheReadmeShows_happens() throws {
        let stories = try CodeBlock.all(in: "README.md").compactMap { TerminalStory($0) }
        try #require(!stories.isEmpty)
        for story in stories { try story.play(in: TemporaryFolder()) }
    }
}
