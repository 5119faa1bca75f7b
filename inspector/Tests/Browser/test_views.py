"""The views of what is and what happens, by what a person sees."""

import unittest

from support import By, HERE, Keys, PageTest


class Loops(PageTest):
    def test_states_show_what_has_changed_beside_the_old_values(self):
        self.see("times", "article[aria-label='Loop door']")
        self.app.send("pushed", by="Ada", times=3)
        self.app.send("pushed", by="Bob", times=1234567)
        self.see("1,234,570", "article[aria-label='Loop door']")
        changed = self.one("article[aria-label='Loop door'] li[data-changed]", "times")
        self.assertEqual(changed.find_element(By.CSS_SELECTOR, ".value").text, "1,234,570")
        self.see("open", "article[aria-label='Loop door'] .pill.accent")
        self.see("#2", "article[aria-label='Loop visitors']")

    def test_a_pinned_number_is_drawn_as_a_line(self):
        self.click("button[aria-label='Pin times']")
        self.see("times", "article[aria-label='Loop door'] .pins")
        self.app.send("pushed", by="Ada", times=3)
        self.see("3", "article[aria-label='Loop door'] .pins dd")
        self.app.send("pushed", by="Ada", times=4)
        self.until(lambda: self.all(".pins svg polyline"), "a line for the pinned field")
        self.open()
        self.see("times", "article[aria-label='Loop door'] .pins")

    def test_a_long_value_is_cut_and_can_be_seen_whole(self):
        self.app.send("wrote", text="begin " + "x" * 3000 + " end")
        self.see("begin", "article[aria-label='Loop door']")
        self.assertNotIn("x end", self.text("main"))
        self.click("button[aria-label='All of note']")
        self.see("x end", "dialog")
        self.click("dialog button", "Close")
        self.until(lambda: not self.all("dialog"), "no dialog")

    def test_a_filter_leaves_only_loops_that_fit(self):
        self.see("visitors", ".loops")
        self.one("input[aria-label='Filter loops and fields']").send_keys("visit")
        self.gone("owner", ".loops")
        self.assertIn("visitors", self.text(".loops"))


class Events(PageTest):
    write = True

    def setUp(self):
        super().setUp()
        self.go("events")

    def row(self, text):
        return self.one("row-list .row", text)

    def test_an_app_without_events_says_how_to_get_some(self):
        self.see("No events yet.", "main")
        self.see("spinhost send", "main")

    def test_rows_show_steps_and_what_no_transition_handles_and_faults(self):
        self.app.send("pushed", by="Ada", times=3)
        self.app.send("odd")
        self.app.send("broke", path="/nowhere")
        for text in ('by: "Ada"', "odd: not handled", "fault R001", "← external", "came", "news.opened", "← gear:news.opened"):
            self.see(text, "row-list")
        self.see("1 fault", "header")

    def test_a_chosen_row_shows_why_it_came_and_what_followed(self):
        self.app.send("pushed", by="Ada", times=3)
        self.row("rang").click()
        self.see("❚❚ paused", "header")
        self.see("bell run 1", ".detail .causes")
        self.see("pushed #1", ".detail .causes")
        self.see("external: it was sent from outside the app", ".detail .causes")
        self.click(".detail .causes button", "pushed #1")
        self.see("pushed", ".detail h3")
        self.see("bell\nrun 1 began", ".detail")
        self.see("is disabled in the manifest", ".detail")
        self.see("did not run", ".detail")
        self.see('"shut"', ".detail")

    def test_a_message_is_followed_to_the_loop_that_sent_it(self):
        self.app.send("pushed", by="Ada", times=3)
        self.row("came").click()
        for text in ("message news.opened", "door/tell run 1", "pushed #1", "external"):
            self.see(text, ".detail .causes")

    def test_the_state_there_is_that_of_the_row(self):
        self.app.send("pushed", by="Ada", times=3)
        self.app.send("pushed", by="Bob", times=4)
        self.row('by: "Ada", times: 3').click()
        self.see("State there", ".detail")
        self.see('times', ".detail details")
        self.assertIn("3", self.text(".detail details[open] .tree"))
        self.assertNotIn("7", self.text(".detail details[open] .tree"))

    def test_what_is_opened_beside_a_row_stays_open(self):
        self.app.send("pushed", by="Ada", times=3)
        self.row('by: "Ada", times: 3').click()
        self.see("visitors", ".detail details:not([open]) summary")
        self.click(".detail summary", "visitors")
        self.see("seen", ".detail")
        self.click("footer button", "Mark A")
        self.see("Mark A @", "footer")
        self.see("seen", ".detail")
        self.assertEqual(len(self.all(".detail details[open]")), 2)

    def test_words_filter_and_so_does_an_expression(self):
        for number in range(4):
            self.app.send("pushed", by="Ada", times=number)
        self.app.send("shut")
        self.row("shut")
        box = self.one("input[aria-label=Filter]")
        box.send_keys("event:shut loop:door", Keys.ENTER)
        self.gone("pushed", "row-list")
        self.see("shut", "row-list")
        box.clear()
        box.send_keys("times=2", Keys.ENTER)
        self.gone("shut", "row-list")
        self.see("times: 2", "row-list")
        self.assertNotIn("times: 1", self.text("row-list"))
        box.clear()
        box.send_keys("payload.times > 2", Keys.ENTER)
        self.gone("times: 2", "row-list")
        self.see("times: 3", "row-list")
        self.app.send("pushed", by="Ada", times=1)
        self.app.send("pushed", by="Ada", times=77)
        self.see("times: 77", "row-list")
        self.assertNotIn("times: 1\n", self.text("row-list"))
        box.clear()
        box.send_keys("payload.times >", Keys.ENTER)
        self.see("is no filter", ".note")
        box.clear()
        box.send_keys("event:none", Keys.ENTER)
        self.see("Nothing fits the filter.", "main")
        box.send_keys(Keys.ESCAPE)
        self.see("times: 1", "row-list")
        self.see("shut", "row-list")

    def test_what_is_written_as_a_filter_counts_when_the_reader_leaves_the_field(self):
        self.app.send("shut")
        self.app.send("odd")
        self.see("odd", "row-list")
        # The field is left before the page looks at what was written, and the page is drawn before that, too.
        text = self.driver.execute_async_script("""
            const [box, done] = arguments
            box.focus()
            document.execCommand('insertText', false, 'event:shut')
            box.blur()
            dispatchEvent(new Event('resize'))
            requestAnimationFrame(() => requestAnimationFrame(() => done(box.value)))""", self.one("input[aria-label=Filter]"))
        self.assertEqual(text, "event:shut")
        self.gone("odd", "row-list")

    def test_a_step_is_copied_as_a_test(self):
        self.app.send("pushed", by="Ada", times=3)
        self.row('by: "Ada"').click()
        self.driver.execute_script("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))")
        self.click(".detail button", "Copy as test")
        self.see("[[tests]]", "dialog")
        self.see('{ pushed = { by = "Ada", times = 3 } }', "dialog")
        self.click("dialog button", "Close")

    def test_rows_stay_while_paused_and_continue_after(self):
        self.app.send("pushed", by="Ada", times=1)
        self.row('"Ada"').click()
        self.app.send("pushed", by="Bob", times=1)
        self.see("new)", "footer")
        self.assertNotIn("Bob", self.text("row-list"))
        self.click("footer button", "Live")
        self.see("Bob", "row-list")


class Graph(PageTest):
    def setUp(self):
        super().setUp()
        self.go("graph")

    def node(self, name):
        return self.one(f".node[aria-label^='{name}']")

    def test_nodes_show_faults_and_what_is_disabled_by_a_sign(self):
        self.app.send("broke", path="/nowhere")
        self.until(lambda: "1 fault" in self.node("feedback door/read").get_attribute("aria-label"), "the fault of read")
        self.assertIn("▲ 1", self.node("feedback door/read").text)
        self.assertIn("off", self.node("feedback door/never").text)

    def test_a_chosen_feedback_says_its_condition_and_its_last_outcome(self):
        self.node("feedback door/alarm").click()
        for text in ("std:print", "state.times > 100", "did not run", "nothing", "← door/state"):
            self.see(text, ".detail")
        self.click(".detail button", "Show its events")
        self.see("EVENTS", "main h2")
        self.assertEqual(self.one("input[aria-label=Filter]").get_attribute("value"), "loop:door feedback:alarm")


class GraphOfARun(PageTest):
    manifest = HERE / "burst.toml"

    def test_a_chosen_feedback_shows_the_arguments_of_its_runs(self):
        self.go("graph")
        self.app.send("go", steps=10_000_000)
        self.see("↻ 1", "main")
        self.one(".node[aria-label^='feedback burst/clock']").click()
        self.see("run 1 interval: ", ".detail")


class Timeline(PageTest):
    write = True

    def test_lanes_show_runs_and_how_they_ended(self):
        self.go("timeline")
        self.app.send("pushed", by="auto", times=1)
        self.app.send("pushed", by="auto", times=1)
        self.app.send("broke", path="/nowhere")
        self.see("door/bell", ".lanes")
        self.click(".lane button", "door/bell")
        self.see("run 1 ended", ".detail")
        self.see("← pushed", ".detail")
        self.click(".lane button", "door/after:open")
        self.see("cancelled", ".detail")
        self.click(".lane button", "door/read")
        self.see("▲ failed", ".detail")
        self.assertTrue(self.all(".lane .run.failed"))

    def test_runs_whose_end_was_left_out_end(self):
        self.go("timeline")
        self.send_fast("pushed", {"by": "Ada", "times": 1}, 400)
        self.see("left out", "header")
        self.see("door/bell", ".lanes")
        self.until(lambda: len(self.all(".lane .run.began")) == 1, "the run of the gear's subscriber alone")


class Gears(PageTest):
    def test_messages_are_arrows_between_loops(self):
        self.go("gears")
        self.see("No message yet.", "main")
        self.app.send("pushed", by="Ada", times=3)
        self.see("news.opened", ".sequence")
        row = self.one(".sequence .row")
        self.assertIn("from door to visitors", row.get_attribute("aria-label"))
        row.click()
        self.see('"Ada"', ".detail")
        self.see("visitors", ".detail")
        self.see("❚❚ paused", "header")
        self.assertEqual(len(self.all("marker#message")), 1)


if __name__ == "__main__":
    unittest.main()
