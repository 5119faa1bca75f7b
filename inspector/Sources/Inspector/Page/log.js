// Log: the lines of the host and its plugins.
import { clock, empty, h, nothingFits, panel, plural, search, setAttribute, showList } from './dom.js'
import { RowList } from './list.js'

const levels = ['trace', 'debug', 'info', 'notice', 'warning', 'error', 'critical']
const signs = { warning: '△', error: '▲', critical: '▲' }

/** The view of the log. */
export class LogView {
	element
	#app
	#list = new RowList()
	#level = h('select', { 'aria-label': 'Least level', onchange: () => this.#redraw() }, levels.map(level => h('option', { value: level }, level === 'trace' ? 'all levels' : `${level} and above`)))
	#query = search('Filter lines', () => this.#redraw())
	#whole = h('p', { class: 'part mono', hidden: true })
	#empty = empty('No line yet.', 'Warnings, errors and what plugins log become lines here, from the moment when this page connects.', 'A lower level shows more: `spinhost run --log-level debug`.')
	#none = nothingFits()
	#panel = panel('Log', {}, h('div', { class: 'tools' }, this.#query, this.#level), this.#list, this.#whole, this.#none, this.#empty)
	#drawn = ''

	constructor(app) {
		this.#app = app
		this.element = h('div', { class: 'columns' }, this.#panel)
		this.#list.setAttribute('aria-label', 'Lines of the log')
		this.#list.render = (element, line) => this.#render(element, line)
		this.#list.onchoose = line => { this.#whole.hidden = false; this.#whole.textContent = `${line.time} ${line.level} ${line.plugin ?? ''} ${line.text}` }
	}

	focusFilter() { this.#query.focus() }
	#redraw() { this.#drawn = ''; this.#list.following = true; this.#app.requestDraw() }

	draw() {
		const { store } = this.#app
		const drawn = store.log.at(-1)?.id ?? 0
		if (this.#drawn === drawn) return
		this.#drawn = drawn
		const least = levels.indexOf(this.#level.value)
		const query = this.#query.value.trim().toLowerCase()
		const lines = store.log.filter(line => levels.indexOf(line.level) >= least && `${line.plugin ?? ''} ${line.text}`.toLowerCase().includes(query))
		this.#panel.side.textContent = plural(lines.length, 'line')
		showList(this.#list, lines, store.log, this.#none, this.#empty)
		this.#list.show(lines)
	}

	#render(element, line) {
		setAttribute(element, 'data-kind', ['error', 'critical'].includes(line.level) ? 'fault' : line.level === 'warning' ? 'unhandled' : 'log')
		element.append(h('span', { class: 'sign', 'aria-hidden': 'true' }, signs[line.level] ?? ''), h('time', { class: 'dim', title: line.time }, clock(line.at)),
			h('span', { class: 'loop dim' }, line.level), h('span', { class: 'text', title: line.text.slice(0, 400) }, h('b', {}, line.plugin ?? ''), line.plugin ? ' ' : '', line.text))
	}
}
