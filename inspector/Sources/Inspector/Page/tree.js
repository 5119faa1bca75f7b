// A state as a tree. What has changed has a mark and its old value. Numbers can be pinned and become sparklines.
import { brief, count, h, json, setAttribute, setText, showAll, svg } from './dom.js'

const mostEntries = 100

const isRecord = value => value !== null && typeof value === 'object' && !Array.isArray(value)
const isNumber = value => typeof value === 'number' || typeof value === 'bigint'

/** The leaves of a state by their paths. A list is one leaf, as in the lines of the host. */
function leaves(value, path = '', into = new Map()) {
	if (isRecord(value) && Object.keys(value).length) {
		for (const [name, part] of Object.entries(value)) leaves(part, path ? `${path}.${name}` : name, into)
	} else into.set(path, value)
	return into
}

/** The changes from one state to another: by path, the old value and the new one. */
export function changes(before, after) {
	const [old, now] = [leaves(before), leaves(after)]
	const found = {}
	for (const [path, value] of now) {
		const was = old.get(path)
		if (was !== value && json(was) !== json(value)) found[path] = [was ?? null, value]
	}
	for (const [path, value] of old) if (!now.has(path)) found[path] = [value, null]
	return found
}

/** A line through numbers. */
export function spark(numbers, label, width = 96, height = 22) {
	const values = numbers.map(Number).filter(Number.isFinite)
	const [least, most] = [Math.min(...values), Math.max(...values)]
	const x = index => values.length < 2 ? width : index / (values.length - 1) * (width - 2) + 1
	const y = value => most === least ? height / 2 : height - 2 - (value - least) / (most - least) * (height - 4)
	const text = values.length ? `${label}: from ${count(least)} to ${count(most)}, now ${count(values.at(-1))}` : `${label}: nothing yet`
	return svg('svg', { class: 'spark', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': text },
		svg('title', {}, text),
		values.length > 1 && svg('polyline', { points: values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ') }))
}

/** The tree of one state. */
export class Tree {
	element = h('ul', { class: 'tree mono' })
	#items = new Map()
	#open = new Map()
	#pins
	#onpin

	/** @param {Set<string>} pins the pinned paths @param {(path: string) => void} onpin pins or releases a path */
	constructor(pins = new Set(), onpin = null) {
		this.#pins = pins
		this.#onpin = onpin
	}

	/** Shows a state, and marks changes: by path, the old value and the new one. */
	show(state, changed = {}) {
		const seen = new Set()
		this.#list(this.element, state, '', 0, changed, seen)
		for (const [path, item] of this.#items) {
			if (!seen.has(path)) { item.element.remove(); this.#items.delete(path) }
		}
	}

	#list(parent, value, path, depth, changed, seen) {
		const names = Array.isArray(value) ? value.map((_, index) => String(index)) : Object.keys(value)
		const removed = Array.isArray(value) ? [] : Object.keys(changed).filter(name => !name.startsWith('.')
			&& (path ? name.startsWith(`${path}.`) : true) && !(path ? name.slice(path.length + 1) : name).includes('.')
			&& !names.includes(path ? name.slice(path.length + 1) : name))
		let last = null
		const place = item => {
			const next = last ? last.nextSibling : parent.firstChild
			if (next !== item.element) parent.insertBefore(item.element, next)
			last = item.element
		}
		for (const name of names.slice(0, mostEntries)) place(this.#item(value[name], path ? `${path}.${name}` : name, name, depth, changed, seen))
		for (const name of removed) place(this.#item(undefined, name, path ? name.slice(path.length + 1) : name, depth, changed, seen))
		if (names.length > mostEntries) {
			const item = this.#item(undefined, `${path}.…`, `${count(names.length - mostEntries)} more`, depth, {}, seen)
			setText(item.value, '')
			place(item)
			item.all = value
			item.more.hidden = false
		}
	}

	#item(value, path, name, depth, changed, seen) {
		seen.add(path)
		const isNested = value !== null && typeof value === 'object' && (Array.isArray(value) ? value.length : Object.keys(value).length) > 0
		let item = this.#items.get(path)
		if (item && item.isNested !== isNested) { item.element.remove(); item = null }
		if (!item) { item = this.#make(path, name, isNested); this.#items.set(path, item) }
		item.all = value
		const change = Object.hasOwn(changed, path) ? changed[path] : null
		const isOpen = isNested && (this.#open.get(path) ?? (depth < 2 && !Array.isArray(value) && Object.keys(value).length <= 12))
		if (isNested) {
			setText(item.value, Array.isArray(value) ? `${count(value.length)} ${value.length === 1 ? 'item' : 'items'}` : isOpen ? '' : brief(value, 48))
			setAttribute(item.toggle, 'aria-expanded', isOpen)
			item.list.hidden = !isOpen
			if (isOpen) this.#list(item.list, value, path, depth + 1, changed, seen)
		} else {
			const text = value === undefined ? '(gone)' : brief(value, 60)
			setText(item.value, text)
			item.more.hidden = !text.endsWith('…')
			item.pin.hidden = !(this.#onpin && isNumber(value))
			setAttribute(item.pin, 'aria-pressed', this.#pins.has(path))
		}
		setAttribute(item.element, 'data-changed', change ? 'yes' : null)
		setText(item.old, change ? brief(change[0] ?? undefined, 40) : '')
		item.arrow.hidden = item.old.hidden = !change
		return item
	}

	#make(path, name, isNested) {
		const old = h('del', { class: 'old' })
		const arrow = h('span', { class: 'arrow', role: 'img', 'aria-label': 'changed to' }, '→')
		const value = h('span', { class: 'value' })
		const item = { isNested, value, old, arrow, all: undefined }
		const content = h('span', { class: 'what' }, old, ' ', arrow, ' ', value)
		if (isNested) {
			item.list = h('ul', {})
			item.toggle = h('button', { class: 'toggle', onclick: () => {
				const isOpen = item.toggle.getAttribute('aria-expanded') !== 'true'
				this.#open.set(path, isOpen)
				this.onchange?.()
			} }, name)
			item.element = h('li', {}, h('div', { class: 'leaf' }, item.toggle, content), item.list)
		} else {
			item.more = h('button', { class: 'small', hidden: true, 'aria-label': `All of ${path}`, onclick: () => showAll(item.all, path) }, 'all')
			item.pin = h('button', { class: 'small pin', hidden: true, 'aria-label': `Pin ${path}`, title: 'Pin: draw its values as a line', onclick: () => {
				this.#onpin(path)
				setAttribute(item.pin, 'aria-pressed', this.#pins.has(path))
			} }, 'pin')
			item.element = h('li', {}, h('div', { class: 'leaf' }, h('span', { class: 'name' }, name), content, item.more, item.pin))
		}
		return item
	}
}
