// The place in time that the page shows: live, or paused at a step. The bar at the bottom moves it.
import { clock, count, h, setAttribute, setText } from './dom.js'
import { mostRows, nameOf } from './store.js'

/** Live, or a step with the states there. While paused, rows stay as they were. */
export class Time {
	live = true
	/** The chosen row, its position, and the states there; null while they are not known. */
	row = null
	position = null
	states = null
	error = null
	/** The first position that the host knows. */
	first = 1
	/** Two places to compare: `{loop, step, position}`. */
	marks = { a: null, b: null }
	version = 0
	#app
	#frozen = null
	#asking = false
	#loading = false
	#isMore = true

	constructor(app) { this.#app = app }

	/** The rows to show. */
	get rows() { return this.#frozen ?? this.#app.store.rows }

	/** How many rows have come since the pause. */
	get missed() {
		const last = this.#frozen?.findLast(row => !row.isOld)
		return last ? this.#app.store.rows.length - 1 - this.#app.store.rows.findLastIndex(row => row.id <= last.id) : 0
	}

	toggle() { if (this.live) this.pause(); else this.resume() }

	/** Stops the rows, at the newest step if no row is given. */
	pause(row = this.#app.store.rows.findLast(row => row.kind === 'step')) {
		if (this.live) {
			this.live = false
			this.#frozen = this.#app.store.rows.slice()
			this.#isMore = true
			this.#findFirst()
		}
		if (row) this.select(row)
		else this.#changed()
	}

	resume() {
		this.live = true
		this.#frozen = this.row = this.position = this.states = this.error = null
		this.#changed()
	}

	/** Goes to a row. */
	select(row) {
		if (this.live) return this.pause(row)
		if (this.row?.id === row.id) return
		this.row = row
		this.states = this.error = null
		this.position = row.data.position ?? null
		this.#changed()
		this.#findStates()
	}

	/** The place of a row as the host's requests want it. */
	placeOf(row) {
		if (row.isGone) return null
		if (row.data.step !== undefined && row.loop && row.data.key === undefined) return { loop: row.loop, step: row.data.step }
		return row.data.position === undefined ? null : { position: row.data.position }
	}

	/** The position of a row; null if it has none, or if the host does not know it any more. */
	async positionOf(row) {
		if (row.isGone) return null
		if (row.data.position !== undefined) return row.data.position
		// With a journal, pushed lines have no positions.
		const place = row.kind === 'step' ? this.placeOf(row) : null
		const answer = place ? await this.#app.ask({ request: 'at', ...place }) : { ok: false }
		return answer.ok ? answer.position : null
	}

	async #findStates() {
		if (this.#asking) return
		this.#asking = true
		for (let row = null; row !== this.row && this.row;) {
			row = this.row
			const place = this.placeOf(row)
			const answer = place ? await this.#app.ask({ request: 'at', ...place }) : { ok: false, error: { message: row.isGone ? 'the app that made this row has ended' : 'this row has no place in time' } }
			if (this.row !== row) continue
			this.states = answer.ok ? answer.states : null
			this.error = answer.ok ? null : answer.error
			if (answer.ok) this.position = answer.position
			this.#changed()
		}
		this.#asking = false
	}

	async #findFirst() {
		const answer = await this.#app.ask({ request: 'steps', from: 0, limit: 1 })
		if (answer.ok && answer.steps.length) this.first = answer.steps[0].position ?? this.first
		this.#changed()
	}

	/** Goes to the first step at or after a position. */
	async seek(position) {
		if (this.live) this.pause(null)
		this.position = position
		this.#changed()
		const answer = await this.#app.ask({ request: 'steps', from: position, limit: 1 })
		if (this.position !== position) return
		if (answer.ok && answer.steps.length) this.select(this.#find(answer.steps[0]))
		else { this.error = answer.error ?? { message: 'there is no step from here on' }; this.#changed() }
	}

	#find(step) {
		const known = this.rows.find(row => row.kind === 'step' && !row.isGone && nameOf(row.data) === nameOf(step) && nameOf(step) !== null)
		return known ?? { ...this.#app.store.rowsOf([step])[0], isOld: true }
	}

	/** Moves one step forward or back. */
	async step(by) {
		if (this.live) { this.pause(); if (by > 0) return }
		const rows = this.rows
		const at = this.row ? rows.findIndex(row => row.id === this.row.id) : -1
		const next = at < 0 ? null : by > 0 ? rows.slice(at + 1).find(row => row.kind === 'step') : rows.slice(0, at).findLast(row => row.kind === 'step')
		if (next) return this.select(next)
		if (this.position === null) return
		const place = by > 0 ? { from: this.position + 1 } : { to: Math.max(0, this.position - 1) }
		const answer = await this.#app.ask({ request: 'steps', ...place, limit: 1 })
		if (answer.ok && answer.steps.length) this.select(this.#find(answer.steps[0]))
	}

	/** Loads steps before the first row. */
	async older(filter) {
		if (!this.#isMore || this.#loading) return
		if (this.live) this.pause()
		this.#loading = true
		await this.#load(filter)
		this.#loading = false
	}

	async #load(filter) {
		const first = this.rows.find(row => row.kind === 'step' && this.placeOf(row))
		if (!first || first.isGone) return
		const before = await this.positionOf(first)
		if (before === null) { this.#isMore = false; return }
		const answer = await this.#app.ask({ request: 'steps', to: Math.max(0, before - 1), limit: 250, ...(filter ? { filter } : {}) })
		if (!this.#frozen || !answer.ok) return
		this.#isMore = answer.steps.length > 0
		const known = new Set(this.#frozen.filter(row => row.kind === 'step' && !row.isGone).map(row => nameOf(row.data)))
		const rows = this.#app.store.rowsOf(answer.steps.filter(step => !known.has(nameOf(step))))
		for (const row of rows) row.isOld = true
		this.#frozen = [...rows, ...this.#frozen].slice(0, mostRows)
		this.#changed()
	}

	/** Puts rows in place of a row that counts what was left out. */
	fillGap(gap, rows) {
		const index = this.#frozen?.findIndex(row => row.id === gap.id) ?? -1
		if (index < 0) return
		this.#frozen.splice(index, 1, ...rows)
		this.#changed()
	}

	/** Sets a mark at the present place. */
	mark(name) {
		if (this.live) this.pause()
		if (!this.row || !this.placeOf(this.row)) return
		this.marks[name] = { ...this.placeOf(this.row), at: this.row.at, position: this.position }
		this.#changed()
	}

	#changed() {
		this.version += 1
		this.#app.requestDraw()
	}
}

/** The bar at the bottom of every view. */
export class TimeBar {
	#app
	#button = h('button', { class: 'live', onclick: () => this.#app.time.toggle() })
	#back = h('button', { 'aria-label': 'One step back', title: 'One step back (←)', onclick: () => this.#app.time.step(-1) }, '◂')
	#on = h('button', { 'aria-label': 'One step on', title: 'One step on (→)', onclick: () => this.#app.time.step(1) }, '▸')
	#when = h('span', { class: 'mono when' })
	#slider = h('input', { type: 'range', 'aria-label': 'Position in time', step: '1', oninput: () => this.#app.time.seek(Number(this.#slider.value)) })
	#where = h('span', { class: 'mono where' })
	#a = h('button', { onclick: () => this.#app.time.mark('a') })
	#b = h('button', { onclick: () => this.#app.time.mark('b') })

	constructor(app, element) {
		this.#app = app
		element.append(h('span', { class: 'keys' }, this.#button, this.#back, this.#on), this.#when, this.#slider, this.#where, h('span', { class: 'keys' }, this.#a, this.#b))
	}

	draw() {
		const { time, store } = this.#app
		const last = store.position ?? 0
		const at = time.live ? last : time.position ?? last
		setText(this.#button, time.live ? '❚❚ Pause' : `▶ Live${time.missed ? ` (${count(time.missed)} new)` : ''}`)
		setAttribute(this.#button, 'title', time.live ? 'Stop here (space)' : 'Follow the app (space)')
		setText(this.#when, time.live ? clock(Date.now()).slice(0, 8) : clock(time.row?.at) || '–')
		setAttribute(this.#when, 'title', time.row?.data.time ?? null)
		setAttribute(this.#slider, 'min', Math.min(time.first, at))
		setAttribute(this.#slider, 'max', Math.max(last, at))
		this.#slider.value = at
		this.#slider.disabled = last === 0
		setAttribute(this.#slider, 'aria-valuetext', time.live ? `live, position ${count(last)}` : `position ${count(at)} of ${count(last)}`)
		setText(this.#where, last ? `@${count(at)}` : 'no position yet')
		for (const [button, name] of [[this.#a, 'a'], [this.#b, 'b']]) {
			const mark = time.marks[name]
			setText(button, `Mark ${name.toUpperCase()}${!mark ? '' : mark.position === null ? ' ✓' : ` @${count(mark.position)}`}`)
			setAttribute(button, 'title', mark ? 'Set this mark here' : 'Set a mark here, to compare two places in Time')
		}
	}
}
