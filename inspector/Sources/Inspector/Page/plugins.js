// Plugins: which versions run, how far they are trusted, how often and how long they are called.
import { count, dim, duration, empty, h, note, panel, part, plural, problem, setText } from './dom.js'
import { describe } from './events.js'

const standings = { trusted: '✓', probation: '◔', quarantined: '▲', resting: '▲' }
const headings = ['Plugin', 'Version', 'Standing', 'Isolation', 'Instances', 'Calls', 'Calls/s', 'p99', 'Longest', '']
const table = (name, ...children) => h('div', { class: 'scroll', hidden: true, tabindex: '0', role: 'group', 'aria-label': `${name}, a table` }, h('table', {}, children))

/** The view of plugins. */
export class PluginsView {
	element
	#app
	#rows = h('tbody')
	#table = table('Plugins', h('thead', {}, h('tr', {}, headings.map((title, at) => title ? h('th', { class: at > 3 && 'n', scope: 'col' }, title) : h('td')))), this.#rows)
	#images = h('p')
	#outcomes = h('div')
	#empty = empty('No plugin yet.', 'Each plugin of the manifest is shown here with its version, standing and calls.', 'A manifest names plugins in `[plugins.NAME]`. The effects `std:…` need none.')
	#metrics = h('tbody')
	#metricsTable = table('Metrics', this.#metrics)
	#noMetrics = note('None. A plugin counts and measures with the service `metrics` of plugin.h; its numbers appear here.')
	#panel = panel('Plugins', {}, this.#table, this.#empty, part(this.#images, this.#outcomes),
		part(h('h3', { class: 'title' }, 'Metrics of the plugins'), this.#metricsTable, this.#noMetrics))
	#plugins
	#values = []
	#asked
	#drawn = ''
	#swaps

	constructor(app) {
		this.#app = app
		this.element = h('div', { class: 'columns' }, this.#panel)
	}

	draw() {
		const { store } = this.#app
		if (this.#app.isUp && this.#asked !== store.counted) { this.#asked = store.counted; this.#ask() }
		const drawn = `${store.counted} ${this.#plugins?.length} ${this.#app.write}`
		this.#drawSwaps(store)
		if (drawn === this.#drawn || !this.#plugins) return
		this.#drawn = drawn
		this.#table.hidden = !this.#plugins.length
		this.#empty.hidden = this.#plugins.length > 0
		const focused = this.#rows.contains(document.activeElement) && document.activeElement.ariaLabel
		this.#rows.replaceChildren(...this.#plugins.map(plugin => this.#row(plugin, this.#calls(plugin.plugin))))
		if (focused) [...this.#rows.querySelectorAll('button')].find(button => button.ariaLabel === focused)?.focus()
		const total = store.total
		if (total) setText(this.#images, `Replaced libraries: ${count(total.images?.inUse ?? 0)} in use, ${count(total.images?.unmapped ?? 0)} unmapped, ${count(total.images?.kept ?? 0)} kept. Swaps: ${count(total.swaps)} done, ${count(total.refusedSwaps)} refused, ${count(total.failedSwaps)} failed, ${count(total.rollBacks)} rolled back.`)
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
		for (const entry of this.#app.store.counters.flatMap(({ watched }) => watched?.feedbacks ?? []).filter(entry => entry.plugin === plugin)) {
			sum.began += entry.began
			sum.rate += entry.rate ?? 0
			for (const key of ['longest', 'p99']) if (entry[key] !== null) sum[key] = Math.max(sum[key] ?? 0, entry[key])
		}
		return sum
	}

	#row({ plugin, version, hash, isolation, standing, reason, instances }, calls) {
		const n = text => h('td', { class: 'n' }, text)
		return h('tr', {}, h('th', { scope: 'row' }, plugin),
			h('td', { class: 'mono', title: hash }, version ?? '–', hash && dim(` ${hash.slice(0, 10)}`)),
			h('td', { class: reason && 'bad' }, `${standings[standing] ?? ''} ${standing}`, reason && `: ${reason}. The plugin is not called. Swap in a corrected library.`), h('td', {}, isolation),
			n(instances === undefined ? '–' : count(instances)), n(count(calls.began)), n(count(Math.round(calls.rate))), n(duration(calls.p99)), n(duration(calls.longest)),
			h('td', {}, this.#app.write ? h('button', { 'aria-label': `Swap ${plugin}`, onclick: () => this.#swap(plugin) }, 'Swap')
				: dim('reading only')))
	}

	async #swap(plugin) {
		const answer = await this.#app.ask({ request: 'swap', plugin })
		this.#app.store.takeSwap(answer.swap ?? answer)
		this.#ask()
	}

	#drawSwaps({ swaps }) {
		if (this.#swaps === swaps[0]) return
		this.#swaps = swaps[0]
		this.#outcomes.replaceChildren(h('h3', { class: 'title' }, 'Swaps'), ...swaps.map(data => data.error ? problem(data.error)
			: h('p', { role: 'status', class: data.reasons && 'bad' }, describe({ kind: 'swap', data }))))
	}

	#drawMetrics() {
		const values = this.#values
		this.#metricsTable.hidden = !values.length
		this.#noMetrics.hidden = values.length > 0
		this.#metrics.replaceChildren(...values.slice(0, 500).map(metric => h('tr', {},
			h('th', { scope: 'row', title: metric.help }, metric.name), h('td', {}, metric.plugin),
			h('td', { class: 'mono dim' }, Object.entries(metric.labels).map(([key, value]) => `${key}=${value}`).join(' ')),
			h('td', { class: 'n' }, metric.kind === 'histogram' ? `${plural(metric.count, 'value')}, mean ${metric.count ? count(metric.sum / metric.count) : '–'}` : typeof metric.value === 'number' ? count(metric.value) : metric.value))))
	}
}
