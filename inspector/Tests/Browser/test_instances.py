"""A loop with a key: what its instances do, and events for one of them."""

import json
import unittest

from support import HERE, PageTest

ROWS = "row-list[aria-label=Events]"


class Instances(PageTest):
    manifest = HERE / "orders.toml"
    write = True

    def order(self, event, key, **payload):
        self.app.command("send", event, json.dumps(payload), "--loop", "order", "--key", key)

    def test_rows_have_the_key_of_their_instance(self):
        self.go("events")
        self.order("added", "A17", n=2)
        self.order("added", "<b>B4</b>", n=3)
        self.order("odd", "A17")
        self.order("divided", "A17")
        self.see("fault E031", ROWS)
        text = self.text(ROWS)
        self.assertEqual(text.count("order/A17"), 3, text)
        self.assertEqual(text.count("order/<b>B4</b>"), 1, text)
        self.click(f"{ROWS} [role=option]", "order/A17")
        self.see("order/A17 #1", ".detail")
        self.see("items", ".detail")
        self.see("external: it was sent from outside the app", ".detail")
        # A place in time and a test are of one loop.
        self.assertNotIn("Copy as test", self.text(".detail"))

    def test_a_key_that_begins_again_counts_again(self):
        self.go("events")
        self.order("added", "A17", n=2)
        self.order("paid", "A17")
        self.order("added", "A17", n=5)
        self.see("n: 5", ROWS)
        self.assertEqual(self.text(ROWS).count("#1"), 2, self.text(ROWS))

    def test_the_filter_takes_the_key(self):
        self.go("events")
        self.order("added", "A17", n=2)
        self.order("added", "B4", n=3)
        self.see("order/B4", ROWS)
        self.one("input[aria-label=Filter]").send_keys("key == 'B4'\n")
        self.gone("order/A17", ROWS)
        self.see("order/B4", ROWS)
        self.one("input[aria-label=Filter]").clear()
        self.one("input[aria-label=Filter]").send_keys("loop:order/A\n")
        self.gone("order/B4", ROWS)
        self.see("order/A17", ROWS)

    def test_runs_of_instances_are_told_apart(self):
        self.go("timeline")
        self.order("added", "A17", n=2)
        self.order("added", "B4", n=3)
        self.click("button.link", "order/print")
        self.see("run 1 of B4", ".detail")
        self.see("run 1 of A17", ".detail")

    def test_an_event_is_sent_to_an_instance(self):
        self.go("send")
        self.one("#send-event option", "order: added").click()
        self.one("#send-key").send_keys("C3")
        text = self.one("#send-payload")
        text.clear()
        text.send_keys('{"n": 5}')
        self.click("button[type=submit]")
        self.see("order/C3: added queued", "[aria-label=Results]")
        self.assertIn('"items":5', self.app.command("state", "--loop", "order", "--key", "C3").stdout)
        # A loop without a key has no such field.
        self.one("#send-event option", "shop: renamed").click()
        self.until(lambda: not self.one("#send-payload") or not self.all("#send-key")[0].is_displayed(), "no field for a key")


if __name__ == "__main__":
    unittest.main()
