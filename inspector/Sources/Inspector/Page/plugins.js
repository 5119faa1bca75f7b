// Plugins: which versions run, how far they are trusted, how often and how long they are called.
import { count, dim, duration, empty, h, note, panel, part, plural, problem, setText } from './dom.js'

const standings = { trusted: '✓ trusted', probation: '◔ probation', quarantined: '▲ quarantined' }
const headings = [['Plugin'], ['Version'], ['Standing'], ['Isolation'], ['Instances', 'n'], ['Calls', 'n'], ['Calls/s', 'n'], ['p99', 'n'], ['Longest', 'n'], ['']]

/** The view of plugins. */
export class PluginsView {
	element
	#app
	#rows = h('tbody', {})
	#table = h('div', { class: 'scroll', hidden: true, tabindex: '0', role: 'group', 'aria-label': 'Plugins, a table' }, h('table', {},
		h('thead', {}, h('tr', {}, headings.map(([title, kind]) => title ? h('th', { class: kind, scope: 'col' }, title) : h('td', {})))), this.#rows))
	#images = h('p', { class: 'part' })
	#outcomes = h('div', { class: 'part' })
	#empty = empty('No plugin yet.', 'Each plugin of the manifest is shown here with its version, its standing and its calls.', 'A manifest names plugins in `[plugins.NAME]`. The effects `std:…` need none.')
	#metrics = h('tbody', {})
	#metricsTable = h('div', { class: 'scroll', hidden: true, tabindex: '0', role: 'group', 'aria-label': 'Metrics, a table' }, h('table', {}, this.#metrics))
	#noMetrics = note('None. A plugin counts and measures with the service `metrics` of plugin.h; its numbers appear here.')
	#panel = panel('Plugins', {}, this.#table, this.#empty, this.#images, this.#outcomes,
		part(h('h3', { class: 'title' }, 'Metrics of the plugins'), this.#metricsTable, this.#noMetrics))
	#plugins = null
	#values = []
	#asked = null
	#drawn = ''
	#said = []

	constructor(app) {
		this.#app = app
		this.element = h('div', { class: 'columns' }, this.#panel)
	}

	draw() {
		const { store } = this.#app
		if (this.#app.isUp && this.#asked !== store.counted) { this.#asked = store.counted; this.#ask() }
		const drawn = `${store.counted} ${this.#plugins?.length} ${this.#said.length} ${this.#app.write}`
		if (drawn === this.#drawn || !this.#plugins) return
		this.#drawn = drawn
		this.#table.hidden = this.#plugins.length === 0
		this.#empty.hidden = this.#plugins.length > 0
		const focused = this.#rows.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null
		this.#rows.replaceChildren(...this.#plugins.map(plugin => this.#row(plugin, this.#calls(plugin.plugin))))
		if (focused) [...this.#rows.querySelectorAll('button')].find(button => button.getAttribute('aria-label') === focused)?.focus()
		const total = store.total
		setText(this.#images, total ? `Replaced libraries: ${count(total.images?.inUse ?? 0)} in use, ${count(total.images?.unmapped ?? 0)} unmapped, ${count(total.images?.kept ?? 0)} kept. Swaps: ${count(total.swaps)} done, ${count(total.refusedSwaps)} refused, ${count(total.failedSwaps)} failed, ${count(total.rollBacks)} rolled back.` : '')
		this.#outcomes.hidden = this.#said.length === 0
		this.#drawMetrics()
	}

	async #ask() {
		const [plugins, metrics] = await Promise.all([this.#app.ask({ request: 'plugins' }), this.#app.ask({ request: 'metrics' })])
		if (plugins.ok) this.#plugins = plugins.plugins
		if (metrics.ok) this.#values = metrics.metrics
		this.#drawn = ''
		this.#app.requestDraw()
	}

	/** The counts of all feedbacks that call a plugin. */
	#calls(plugin) {
		const sum = { began: 0, rate: 0, longest: null, p99: null }
		for (const entry of this.#app.store.counters.flatMap(({ watched }) => watched?.feedbacks ?? []).filter(feedback => feedback.plugin === plugin)) {
			sum.began += entry.began
			sum.rate += entry.rate ?? 0
			for (const key of ['longest', 'p99']) if (entry[key] !== null) sum[key] = Math.max(sum[key] ?? 0, entry[key])
		}
		return sum
	}

	#row({ plugin, version, hash, isolation, standing, instances }, calls) {
		const n = text => h('td', { class: 'n' }, text)
		return h('tr', {}, h('th', { scope: 'row' }, plugin),
			h('td', { class: 'mono', title: hash ?? '' }, version ?? '–', hash ? dim(` ${hash.slice(0, 10)}`) : ''),
			h('td', { class: standing === 'quarantined' ? 'bad' : '' }, standings[standing] ?? standing), h('td', {}, isolation),
			n(instances === undefined ? '–' : count(instances)), n(count(calls.began)), n(count(Math.round(calls.rate))), n(duration(calls.p99)), n(duration(calls.longest)),
			h('td', {}, this.#app.write ? h('button', { 'aria-label': `Swap ${plugin}`, onclick: () => this.#swap(plugin) }, 'Swap')
				: dim('reading only')))
	}

	async #swap(plugin) {
		const answer = await this.#app.ask({ request: 'swap', plugin })
		const swap = answer.swap
		this.#said.unshift(answer.ok ? h('p', { role: 'status' }, `${plugin}: ${swap.outcome}`, swap.from ? ` ${swap.from} → ${swap.to}` : '', swap.pause ? `, pause ${duration(swap.pause)}` : '',
			(swap.reasons ?? []).map(reason => h('span', { class: 'bad' }, ` ${reason.code}: ${reason.message}`))) : problem(answer.error))
		this.#said.length = Math.min(this.#said.length, 20)
		this.#outcomes.replaceChildren(h('h3', { class: 'title' }, 'Swaps from this page'), ...this.#said)
		this.#ask()
	}

	#drawMetrics() {
		const values = this.#values
		this.#metricsTable.hidden = values.length === 0
		this.#noMetrics.hidden = values.length > 0
		this.#metrics.replaceChildren(...values.slice(0, 500).map(metric => h('tr', {},
			h('th', { scope: 'row', title: metric.help }, metric.name), h('td', {}, metric.plugin),
			h('td', { class: 'mono dim' }, Object.entries(metric.labels).map(([key, value]) => `${key}=${value}`).join(' ')),
			h('td', { class: 'n' }, metric.kind === 'histogram' ? `${plural(metric.count, 'value')}, mean ${metric.count ? count(metric.sum / metric.count) : '–'}` : typeof metric.value === 'number' ? count(metric.value) : metric.value))))
	}
}
