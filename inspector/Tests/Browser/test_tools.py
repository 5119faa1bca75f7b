"""The views that act: plugins, time, log and send, by what a person sees."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import HERE, Keys, PageTest, ROOT


class Plugins(PageTest):
    write = True

    def test_an_app_without_plugins_says_so(self):
        self.go("plugins")
        self.see("No plugin yet.", "main")
        self.see("0 in use", "main")


class Swaps(PageTest):
    """The shop of examples/payment, whose plugin `script/plugins` builds."""

    manifest = ROOT / "examples/payment/app.toml"
    write = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.arguments = ("--journal", f"{folder.name}/payment.journal", "--set", f"books={folder.name}/payments.txt")
        super().setUp()

    def cell(self, number):
        return self.text(f"tbody tr td:nth-child({number})")

    def test_a_plugin_shows_its_calls_and_is_swapped(self):
        self.app.send("order", cents=700)
        self.go("plugins")
        self.see("provider", "tbody")
        self.see("✓ trusted", "tbody")
        self.until(lambda: self.cell(6) == "1", "one call")
        self.assertRegex(self.cell(9), r"^[\d.,]+ (µs|ms|s)$")
        self.click("button[aria-label='Swap provider']")
        self.see("provider: unchanged", "main")

    def test_older_steps_of_a_journal_are_loaded_at_the_top(self):
        for _ in range(2):
            self.send_fast("order", {"cents": 100}, 100)
        # Each order is two steps of `orders`, and one of the ledger.
        self.see("600 steps", "header")
        self.open("events")
        rows = "return document.querySelector('main row-list').rows.filter(row => row.kind === 'step').length"
        self.until(lambda: self.driver.execute_script(rows) == 200, "200 steps")
        self.one("row-list").send_keys(Keys.HOME)
        self.see("❚❚ paused", "header")
        # The first entry of the journal is reached by going to the top again and again.
        self.until(lambda: self.one("row-list").send_keys(Keys.HOME) or self.driver.execute_script(rows) == 600, "all 600 steps")
        # The last page may have come after the key.
        self.one("row-list").send_keys(Keys.HOME)
        self.until(lambda: self.text(".detail h2").endswith("#1"), "the first step")
        self.see("order", ".detail h3")


class Time(PageTest):
    def setUp(self):
        super().setUp()
        self.app.send("pushed", by="Ada", times=31)
        self.app.send("pushed", by="Bob", times=4)
        self.app.send("shut")
        self.go("events")
        self.see("shut", "row-list")

    def choose(self, text):
        self.one("row-list .row", text).click()
        self.see("❚❚ paused", "header")

    def test_two_places_are_compared(self):
        self.choose('by: "Ada", times: 31')
        self.until(lambda: self.click("footer button", "Mark A") or "@" in self.text("footer .keys:last-child"), "mark A")
        self.choose('by: "Bob", times: 4')
        self.click("footer button", "Mark B")
        self.go("time")
        self.see("times\n31 → 35", "main")
        self.see('by\n"Ada" → "Bob"', "main")

    def test_another_event_shows_both_futures(self):
        self.choose('by: "Bob", times: 4')
        self.go("time")
        text = self.one("textarea")
        text.clear()
        text.send_keys('{"by": "Eve", "times": 40}')
        self.click("button[type=submit]")
        self.see("31 → 35", "[aria-label='What happened']")
        self.see("31 → 71", "[aria-label='What would have followed']")
        self.see("71", "[aria-label='What would have followed'] .tree")
        text.clear()
        text.send_keys("{")
        self.click("button[type=submit]")
        self.see("the fields are not JSON", "main")

    def test_the_slider_shows_the_states_there(self):
        self.go("loops")
        self.driver.execute_script("""
            const slider = document.querySelector('footer input')
            slider.value = 1
            slider.dispatchEvent(new Event('input', { bubbles: true }))""")
        self.see("❚❚ paused", "header")
        self.see("at @1", ".loops")
        self.see("31", "article[aria-label='Loop door'] .tree")
        self.see("#1", "article[aria-label='Loop door']")


class Dev(PageTest):
    """An app under `dev`: it ends, and runs again when its manifest is saved."""

    verb = "dev"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.manifest = pathlib.Path(folder.name) / "words.toml"
        self.save()
        super().setUp()

    def save(self):
        self.manifest.write_text("""
            app.name = "words"
            [loops.words]
            state   = { count = 0 }
            events  = { word = { text = "string" } }
            until   = "state.count == 2"
            on.word = { set = { count = "state.count + 1" } }
            """)

    def test_an_app_that_runs_again_counts_its_steps_from_the_start(self):
        self.go("events")
        self.app.send("word", text="first")
        self.app.send("word", text="second")
        self.see('word text: "second"', "row-list")
        self.until(lambda: "stopped" in self.app.command("send", "word", '{"text": "late"}', check=False).stdout, "the end")
        self.save()
        self.see("the app runs again after: done", "row-list")
        self.until(lambda: "queued" in self.app.command("send", "word", '{"text": "third"}', check=False).stdout, "the app again")
        self.see('word text: "third"', "row-list")
        self.assertEqual(self.text("row-list").count("#1"), 2)
        self.one("row-list .row", '"third"').click()
        self.see("1", ".detail details .tree")
        self.one("row-list .row", '"first"').click()
        self.see("the app that made this row has ended", ".detail")


class Changed(PageTest):
    """An app under `dev` that continues with each manifest that is saved."""

    verb = "dev"
    words = """
        app.name = "words"
        app.stay = true
        [loops.words]
        state   = { count = 0, last = "" }
        events  = { word = { text = "string" } }
        on.word = { set = { count = "state.count + 1", last = "event.text" } }
        """
    echo = """
        [loops.words.feedback.echo]
        on     = "word"
        effect = "std:print"
        args   = ["event.text"]
        """
    letters = """
        [loops.letters]
        state     = { seen = 0 }
        events    = { letter = { code = "int" } }
        on.letter = { set = { seen = "state.seen + 1" } }
        """

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.manifest = pathlib.Path(folder.name) / "words.toml"
        self.manifest.write_text(self.words + self.echo)
        super().setUp()

    def save(self, *parts):
        """Replaces the manifest at once, as an editor does."""
        new = self.manifest.with_suffix(".new")
        new.write_text("".join(parts))
        new.rename(self.manifest)

    def nodes(self):
        return [node.get_attribute("aria-label") for node in self.all(".node")]

    def test_a_loop_that_is_added_and_a_feedback_that_is_removed_are_seen(self):
        self.app.send("word", text="early")
        self.see("early", "article[aria-label='Loop words']")
        self.go("graph")
        self.until(lambda: "feedback words/echo" in self.nodes(), "the feedback")
        self.assertFalse([name for name in self.nodes() if "letters" in name])
        self.click(".node[aria-label='feedback words/echo']")
        self.see("std:print", ".detail")
        self.save(self.words, self.letters)
        self.until(lambda: "event letters/letter" in self.nodes(), "the event of the added loop")
        self.assertNotIn("feedback words/echo", self.nodes())
        # What was chosen is gone.
        self.see("No node is chosen.", ".detail")
        self.see("2 loops", "header")
        self.app.command("send", "letter", "code=1")
        self.app.send("word", text="later")
        self.go("loops")
        self.see("1", "article[aria-label='Loop letters'] .tree")
        self.see("later", "article[aria-label='Loop words'] .tree")
        # The state continues.
        self.see("#2", "article[aria-label='Loop words']")
        self.go("events")
        self.see("words.toml: swapped", "row-list")
        self.see("code: 1", "row-list")
        self.one("row-list .row", "later").click()
        self.see("2", ".detail details .tree")
        self.assertNotIn("echo", self.text(".detail"))
        self.keys(Keys.ESCAPE)
        self.see("● live", "header")
        # The loop goes again.
        self.save(self.words)
        self.see("1 loop", "header")
        self.go("loops")
        self.until(lambda: not self.all("article[aria-label='Loop letters']"), "no loop `letters`")
        self.go("graph")
        self.until(lambda: not [name for name in self.nodes() if "letters" in name], "no node of `letters`")

    def test_a_filter_whose_field_has_gone_is_refused_with_words(self):
        self.go("events")
        self.one("input[aria-label='Filter']").send_keys("state.count > 1")
        for text in ("first", "second"):
            self.app.send("word", text=text)
        self.see("second", "row-list")
        self.gone("first", "row-list")
        self.save(self.words.replace("count", "number"))
        self.see("count", "section[aria-label=Events] [role=status]")
        self.assertIn("number", self.text("section[aria-label=Events] [role=status]"))
        # The host filters nothing now, so no step is missed while the reader writes another filter.
        self.app.send("word", text="third")
        text = self.one("input[aria-label='Filter']")
        text.clear()
        text.send_keys("state.number > 0")
        self.see("third", "row-list")
        self.until(lambda: self.text("section[aria-label=Events] [role=status]") == "", "no problem")

    def test_a_manifest_with_a_fault_is_refused_with_words(self):
        self.go("events")
        self.save(self.words.replace("state.count + 1", "state.nothing + 1"))
        self.see("words.toml: refused", "row-list")
        self.see("nothing", "row-list")
        self.app.send("word", text="still here")
        self.see("still here", "row-list")


class Log(PageTest):
    def test_an_empty_log_says_what_would_be_there(self):
        self.go("log")
        self.see("No line yet.", "main")


@unittest.skipUnless(shutil.which("cc"), "there is no C compiler")
class Plugin(PageTest):
    """A plugin that the test builds, and builds again as another version."""

    write = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.build("1.0.0")
        self.manifest = self.folder / "say.toml"
        self.manifest.write_text((HERE / "say.toml").read_text())
        super().setUp()

    def build(self, version, *options):
        """Replaces the library at once, as a build does."""
        new = self.folder / "new.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Werror", f'-DVERSION="{version}"', f"-I{ROOT}/Sources/CPluginABI/include",
                        *options, str(HERE / "say.c"), "-o", str(new)], check=True)
        new.rename(self.folder / "say.so")

    def cell(self, number):
        return self.text(f"tbody tr td:nth-child({number})")

    def swap(self, says):
        """Swaps by the button of the page."""
        self.click("button[aria-label='Swap say']")
        self.see(says, "main")

    def says(self, text, level):
        """Sends a word, and waits for the line that the plugin logs."""
        self.app.send("word", text=text)
        self.go("log")
        self.until(lambda: any(level in row.text for row in self.all("row-list .row") if text in row.text), f"`{text}` as {level}")
        self.go("plugins")

    def test_what_a_plugin_logs_is_a_line(self):
        self.go("log")
        self.app.send("word", text="<b>first</b>")
        self.app.send("word", text="second " + "x" * 900 + " end")
        self.see("<b>first</b>", "row-list")
        self.assertIn("warning", self.text("row-list"))
        self.one("row-list .row", "second").click()
        self.see("x end", "main section > p")
        self.one("input[aria-label='Filter lines']").send_keys("first")
        self.gone("second", "row-list")
        self.see("1 line", "main h2")
        self.one("input[aria-label='Filter lines']").send_keys(" and nothing else")
        self.see("Nothing fits the filter.", "main")

    def test_the_log_follows_again_from_its_end(self):
        self.go("log")
        for number in range(60):
            self.app.send("word", text=f"line {number} of many")
        self.see("line 59 of", "row-list")
        self.one("row-list .row", "line 55 of").click()
        self.see("line 55 of", "main section > p")
        scroll = "const list = document.querySelector('row-list'); list.scrollTop = arguments[0]; return list.scrollHeight - list.clientHeight"
        end = self.driver.execute_script(scroll, 0)
        self.see("line 0 of", "row-list")
        self.app.send("word", text="not followed")
        self.see("61 lines", "main h2")
        self.assertNotIn("not followed", self.text("row-list"))
        self.driver.execute_script(scroll, end + 1000)
        self.see("not followed", "row-list")
        for number in range(60):
            self.app.send("word", text=f"later {number} of many")
        self.see("later 59 of", "row-list")

    def test_a_new_version_is_swapped_in(self):
        self.go("plugins")
        self.see("1.0.0", "tbody")
        before = self.text("tbody td.mono")
        self.build("1.1.0")
        self.click("button[aria-label='Swap say']")
        self.see("say: swapped 1.0.0 → 1.1.0", "main")
        self.see("1.1.0", "tbody")
        self.assertNotEqual(self.text("tbody td.mono"), before)
        self.see("1 done", "main")
        self.go("events")
        self.see("say: swapped", "row-list")
        self.app.send("word", text="after")
        self.see("after", "row-list")

    def test_a_person_goes_back_to_the_version_before(self):
        shutil.copy(self.folder / "say.so", self.folder / "kept.so")
        self.go("plugins")
        self.see("1.0.0", "tbody")
        before = self.cell(2)
        self.says("as first", "warning")
        self.build("1.1.0", "-DLEVEL=SPIN_LOG_ERROR")
        self.swap("say: swapped 1.0.0 → 1.1.0")
        self.says("in between", "error")
        self.see("1.1.0", "tbody")
        (self.folder / "kept.so").rename(self.folder / "say.so")
        self.swap("say: swapped 1.1.0 → 1.0.0")
        self.until(lambda: self.cell(2) == before, "the version before, with its hash")
        self.says("as before", "warning")
        self.swap("say: unchanged")

    def test_a_version_that_fails_its_probation_is_rolled_back(self):
        self.go("plugins")
        self.see("1.0.0", "tbody")
        before = self.cell(2)
        self.build("1.1.0", "-DLEVEL=SPIN_LOG_ERROR", "-DCRASHES")
        self.swap("say: swapped 1.0.0 → 1.1.0")
        self.see("◔ probation", "tbody")
        self.says("in between", "error")
        self.app.send("word", text="!")
        self.until(lambda: self.cell(2) == before, "the version before, with its hash")
        self.see("✓ trusted", "tbody")
        self.see("1 rolled back", "main")
        # The page says that its swap did not last, and why.
        self.see("say: rolled back", "main")
        self.see("P083", "main")
        self.says("as before", "warning")
        # The same bytes are refused with words.
        self.swap("say: refused")
        self.see("P084: this library was rolled back", "main")
        self.assertEqual(self.cell(2), before)
        self.go("events")
        self.see("say: rolled back 1.0.0 → 1.1.0", "row-list")

    def test_a_plugin_in_quarantine_says_what_a_person_can_do(self):
        self.build("1.1.0", "-DCRASHES")
        self.go("plugins")
        self.swap("say: swapped 1.0.0 → 1.1.0")
        # Sixteen calls end the probation, so there is no version to go back to.
        for number in range(16):
            self.app.send("word", text=f"number {number}")
        self.see("✓ trusted", "tbody")
        self.app.send("word", text="!")
        self.see("▲ quarantined", "tbody")
        self.see("effect `say` crashed with SIGSEGV at address 0x21", "tbody")
        self.see("The plugin is not called. Swap in a corrected library.", "tbody")
        self.app.send("word", text="not said")
        self.see("▲ 2 faults", "header")
        # The file is the one that has crashed.
        self.swap("say: unchanged")
        self.see("▲ quarantined", "tbody")
        self.go("log")
        self.see("the plugin is not called any more", "row-list")
        self.assertNotIn("not said", self.text("row-list"))
        # `reload` loads the same file again, as a new library.
        self.app.command("reload")
        self.go("plugins")
        self.see("✓ trusted", "tbody")
        self.says("said after reload", "warning")
        self.app.send("word", text="!")
        self.see("▲ quarantined", "tbody")
        self.build("1.2.0")
        self.swap("say: swapped 1.1.0 → 1.2.0")
        self.gone("quarantined", "tbody")
        self.see("1.2.0", "tbody")
        self.says("said again", "warning")


class Send(PageTest):
    write = True

    def test_an_event_is_sent_and_errors_name_what_is_missing(self):
        self.go("send")
        text = self.one("textarea")
        text.clear()
        text.send_keys('{"by": "Ada"}')
        self.click("button[type=submit]")
        self.see("`times` is missing", "[aria-label=Results]")
        text.clear()
        text.send_keys('{"by": "Ada", "times": 9007199254740993}')
        self.click("button[type=submit]")
        self.see("door: pushed queued", "[aria-label=Results]")
        self.go("loops")
        self.see("9,007,199,254,740,993", "article[aria-label='Loop door']")


class ReadingOnly(PageTest):
    def test_an_inspector_that_only_reads_offers_no_control_that_writes(self):
        self.assertNotIn("Send", self.text("nav"))
        self.go("plugins")
        self.assertEqual([button for button in self.all("main button") if "Swap" in button.text], [])


if __name__ == "__main__":
    unittest.main()
