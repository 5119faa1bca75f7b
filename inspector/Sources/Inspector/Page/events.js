// Events: what happened, the newest at the end, and why.
import { announce, clock, count, duration, empty, fields, h, nothingFits, panel, plural, setAttribute, setText, showList } from './dom.js'
import { Detail } from './detail.js'
import { RowList } from './list.js'
import { loopOf } from './store.js'

const signs = { step: '', unhandled: '○', fault: '▲', run: '↻', message: '✉', swap: '⇄', skipped: '…', note: '●' }
const kinds = [['run', 'Runs', false], ['message', 'Messages', true], ['unhandled', 'Unhandled', true], ['fault', 'Faults', true]]

/** The words of a row: what it is about, and what it says. */
export function describe({ kind, data }) {
	const payload = data.payload && Object.keys(data.payload).length ? ` ${fields(data.payload)}` : ''
	switch (kind) {
	case 'step': return [data.event, payload]
	case 'unhandled': return [`${data.event}: not handled`, payload]
	case 'fault': return [`fault ${data.code}`, ` ${data.message}`]
	case 'run': return [`${data.feedback} run ${count(data.number)}`, ` ${data.state}${data.cause ? ` by ${data.cause}` : ''}${data.event ? ` ${data.event}` : ''}${data.took === undefined ? '' : ` after ${duration(data.took)}`}`]
	case 'message': return [`${data.gear}.${data.message}`, payload]
	case 'swap': return [`${data.plugin ?? data.manifest}: ${data.outcome} `, [data.from, data.to && `→ ${data.to}`, data.pause && `(pause ${duration(data.pause)})`,
		...(data.reasons ?? []).map(({ code, message }) => `${code}: ${message}`)].filter(Boolean).join(' ')]
	case 'skipped': return [`${plural(data.count, 'line')} left out`, data.isRest ? ' other lines, or steps after these' : ' they came too fast to send them all']
	default: return [data.text, '']
	}
}

/** The list with its filter. The first view shows it, too. */
export class EventList {
	list = new RowList()
	element
	#app
	#input = h('input', { type: 'search', placeholder: 'event:… loop:… field=… or CEL', 'aria-label': 'Filter', title: 'Words loop:… event:… origin:… kind:… field=value, or an expression in CEL such as state.times > 3', spellcheck: 'false', autocomplete: 'off' })
	#says = h('p', { class: 'note', role: 'status' })
	/** Why a gap was not filled; empty if it was. */
	#said = ''
	#toggles = []
	#empty = empty('No events yet.', 'Each event that a loop takes becomes a row here, with what it changed and why it came.', 'Events come from feedbacks, from other loops, or from `spinhost send EVENT`. What happened before this page was open is here if the app keeps a journal (`--journal FILE`).')
	#none = nothingFits()
	#panel
	#version = ''

	constructor(app, onchoose = () => {}) {
		this.#app = app
		this.list.setAttribute('aria-label', 'Events')
		this.list.render = (element, row) => this.#render(element, row)
		this.list.onchoose = row => { app.time.select(row); onchoose(row) }
		this.list.onleave = () => app.time.live && app.time.pause()
		this.list.ontop = () => app.time.older(app.filter.cel)
		for (const [kind, label, isOn] of kinds) {
			const box = h('input', { type: 'checkbox', onchange: () => this.#redraw() })
			box.checked = isOn
			this.#toggles.push({ kind, box })
			box.label = h('label', {}, box, label)
		}
		let pending
		const set = () => { clearTimeout(pending); this.#said = ''; app.filter.set(this.#input.value.trim()) }
		this.#input.addEventListener('input', () => { clearTimeout(pending); pending = setTimeout(set, 250) })
		// Also when the reader leaves the field.
		this.#input.addEventListener('change', set)
		this.#input.addEventListener('keydown', event => {
			if (event.key === 'Escape') { this.#input.value = ''; set(); this.list.focus() }
		})
		this.#panel = panel('Events', { class: 'events' },
			h('div', { class: 'tools' }, this.#input, this.#toggles.map(({ box }) => box.label)), this.#says, this.list, this.#none, this.#empty)
		this.element = this.#panel
	}

	focusFilter() { this.#input.focus(); this.#input.select() }

	#redraw() { this.#version = ''; this.#app.requestDraw() }

	draw() {
		const { filter, store, time } = this.#app
		const version = `${time.live ? store.version : 'paused'} ${time.version} ${filter.version}`
		setText(this.#says, filter.problem || this.#said)
		if (document.activeElement !== this.#input && this.#input.value !== filter.text) this.#input.value = filter.text
		setText(this.#panel.side, time.live ? 'following · space pauses' : `paused${time.missed ? ` · ${count(time.missed)} new` : ''}`)
		if (version === this.#version) return
		this.#version = version
		const hidden = new Set(this.#toggles.filter(({ box }) => !box.checked).map(({ kind }) => kind))
		const all = time.rows.filter(row => !hidden.has(row.kind))
		const rows = all.filter(row => filter.holds(row))
		this.list.following = time.live
		this.list.show(rows)
		showList(this.list, rows, all, this.#none, this.#empty)
		if (this.#chosen !== (time.row?.id ?? null)) {
			this.#chosen = time.row?.id ?? null
			this.list.chosen = this.#chosen
			if (time.row) this.list.reveal(time.row.id)
		}
	}
	#chosen = null

	#render(element, row) {
		const { kind, data } = row
		const [name, rest] = describe(row)
		setAttribute(element, 'data-kind', kind)
		element.append(
			h('span', { class: 'sign', 'aria-hidden': 'true' }, signs[kind] ?? ''),
			h('time', { class: 'dim', title: data.time ?? new Date(row.at).toString() }, clock(row.at)),
			h('span', { class: 'dim loop' }, loopOf(data) ?? ''),
			h('span', { class: 'number dim' }, data.step === undefined ? '' : `#${count(data.step)}`),
			h('span', { class: 'text', title: (name + rest).slice(0, 400) }, h('b', {}, name), rest),
			h('span', { class: 'dim from' }, data.origin ? `← ${data.origin}` : ''))
		if (kind === 'skipped') {
			element.append(h('button', { class: 'small', onclick: () => this.#load(row) }, 'Load'))
		}
	}

	/** Asks for steps that the host left out, by the positions of the rows beside them. */
	async #load(gap) {
		const { filter, store, time } = this.#app
		const index = time.rows.findIndex(row => row.id === gap.id)
		const hasPlace = row => !row.isGone && (row.kind === 'step' || row.data.position !== undefined)
		const before = time.rows.slice(0, index).findLast(hasPlace)
		const after = time.rows.slice(index).find(hasPlace)
		const from = before ? await time.positionOf(before) : null
		const to = after ? await time.positionOf(after) : null
		if (gap.isGone) return this.#say('The app that left these lines out has ended.')
		if (after && to === null) return this.#say('The host does not keep these steps any more.')
		const answer = await this.#app.ask({ request: 'steps', from: (from ?? -1) + 1, ...(after && { to: to - 1 }), ...(filter.cel && { filter: filter.cel }), limit: 1000 })
		if (!answer.ok) return this.#say(answer.error.message)
		const found = store.fillGap(gap, answer.steps)
		this.#say(found.some(row => row.kind === 'step') ? '' : 'The host keeps no more steps of these lines.')
		time.fillGap(gap, found)
		this.#redraw()
	}

	#say(text) {
		this.#said = text
		if (text) announce(text)
		this.#app.requestDraw()
	}
}

/** The view of events: the list, and the right column about the chosen row. */
export class EventsView {
	element
	#list
	#detail

	constructor(app) {
		this.#detail = new Detail(app)
		this.#list = new EventList(app)
		this.element = h('div', { class: 'columns two' }, this.#list.element, this.#detail.element)
	}

	focusFilter() { this.#list.focusFilter() }

	draw() {
		this.#list.draw()
		this.#detail.draw()
	}
}
