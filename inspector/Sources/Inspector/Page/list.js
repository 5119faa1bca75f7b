// A list of many rows of the same height. Only the visible rows are elements.
import { h } from './dom.js'

const around = 6

/** `<row-list>`: call `show(rows)` in each frame; it follows the end until the reader scrolls away, and again from there. */
export class RowList extends HTMLElement {
	rows = []
	height = 26
	following = true
	/** Makes the content of a row's element. */
	render = () => {}
	/** Called with a chosen row, when the reader leaves the end, and at the top. */
	onchoose = () => {}
	onleave = () => {}
	ontop = () => {}
	#space = h('div', { class: 'space', role: 'presentation' })
	#pool = []
	#chosen = null
	#scrolledTo = 0
	#touched = -Infinity

	connectedCallback() {
		if (this.#space.parentNode) { this.#place(); return }
		this.tabIndex = 0
		this.setAttribute('role', 'listbox')
		this.append(this.#space)
		this.addEventListener('scroll', () => this.#scrolled())
		// A list that becomes shorter scrolls, too. Only a reader who scrolls leaves the end.
		for (const kind of ['wheel', 'touchmove', 'pointerdown']) this.addEventListener(kind, () => { this.#touched = performance.now() }, { passive: true })
		this.addEventListener('keydown', event => this.#key(event))
		this.addEventListener('click', event => {
			if (event.target.closest('button')) return
			const row = event.target.closest('.row')?.row
			if (row) this.#choose(row)
		})
		new ResizeObserver(() => this.#place()).observe(this)
	}

	/** The id of the chosen row, or null. */
	get chosen() { return this.#chosen }
	set chosen(id) { if (id !== this.#chosen) { this.#chosen = id; this.#place(true) } }

	/** Shows these rows. Each has an `id` that grows. */
	show(rows) {
		const anchor = this.following ? null : this.rows[Math.floor(this.scrollTop / this.height)]
		this.rows = rows
		this.#space.style.height = `${rows.length * this.height}px`
		if (this.following) this.#scroll(rows.length * this.height)
		else if (anchor) {
			const index = rows.findIndex(row => row.id === anchor.id)
			if (index >= 0) this.#scroll(index * this.height + this.scrollTop % this.height)
		}
		this.#place(true)
	}

	/** Scrolls to a row so that it is visible. */
	reveal(id) {
		const index = this.rows.findIndex(row => row.id === id)
		if (index < 0) return
		const top = index * this.height
		if (top < this.scrollTop) this.#scroll(top)
		else if (top + this.height > this.scrollTop + this.clientHeight) this.#scroll(top + this.height - this.clientHeight)
		this.#place()
	}

	#scroll(top) {
		const to = Math.max(0, Math.min(top, this.rows.length * this.height - this.clientHeight))
		if (Math.abs(this.scrollTop - to) >= 1) this.scrollTop = to
		this.#scrolledTo = this.scrollTop
	}

	#scrolled() {
		const top = this.scrollTop
		if (top < this.#scrolledTo && performance.now() - this.#touched < 1000) {
			if (this.following) { this.following = false; this.onleave() }
			if (top < this.height) this.ontop()
		} else if (top > this.#scrolledTo && top >= this.rows.length * this.height - this.clientHeight - 1) this.following = true
		this.#scrolledTo = top
		this.#place()
	}

	#place(isNew = false) {
		const first = Math.max(0, Math.floor(this.scrollTop / this.height) - around)
		const last = Math.min(this.rows.length, Math.ceil((this.scrollTop + this.clientHeight) / this.height) + around)
		const shown = new Set()
		for (let index = first; index < last; index++) shown.add(this.rows[index].id)
		const free = this.#pool.filter(element => !element.row || !shown.has(element.row.id))
		const used = new Map(this.#pool.filter(element => element.row && shown.has(element.row.id)).map(element => [element.row.id, element]))
		for (let index = first; index < last; index++) {
			const row = this.rows[index]
			let element = used.get(row.id)
			if (!element) {
				element = free.pop()
				if (!element) {
					element = h('div', { class: 'row', role: 'option' })
					this.#pool.push(element)
					this.#space.append(element)
				}
				element.row = row
				element.id = `row-${row.id}`
				element.replaceChildren()
				this.render(element, row)
			} else if (isNew && element.row !== row) { element.row = row; element.replaceChildren(); this.render(element, row) }
			element.hidden = false
			element.style.transform = `translateY(${index * this.height}px)`
			element.setAttribute('aria-selected', row.id === this.#chosen)
			element.setAttribute('aria-posinset', index + 1)
			element.setAttribute('aria-setsize', this.rows.length)
		}
		for (const element of free) { element.hidden = true; element.row = null; element.removeAttribute('id') }
		if (this.#chosen !== null && shown.has(this.#chosen)) this.setAttribute('aria-activedescendant', `row-${this.#chosen}`)
		else this.removeAttribute('aria-activedescendant')
	}

	#key(event) {
		const page = Math.max(1, Math.floor(this.clientHeight / this.height) - 1)
		const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }
		const move = moves[event.key]
		if (event.target !== this || !move || !this.rows.length) return
		event.preventDefault()
		const at = this.rows.findIndex(row => row.id === this.#chosen)
		if (at <= 0 && move < 0) this.ontop()
		const from = at < 0 ? this.rows.length - 1 : at
		const to = at < 0 && move === -1 ? from : Math.max(0, Math.min(this.rows.length - 1, from + move))
		this.#choose(this.rows[to])
		this.reveal(this.rows[to].id)
	}

	#choose(row) {
		this.chosen = row.id
		this.following = false
		this.onchoose(row)
	}
}

customElements.define('row-list', RowList)
