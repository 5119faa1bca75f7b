// Elements and texts. Values of an app reach the page through here, always as text, never as HTML.

const SVG = 'http://www.w3.org/2000/svg'

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (value === undefined || value === null || value === false) continue
		if (name.startsWith('on')) element.addEventListener(name.slice(2), value)
		else if (name === 'value') element.value = value
		else element.setAttribute(name, value === true ? '' : value)
	}
	element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false))
	return element
}

/** An HTML element. Children that are strings become text. A button sends no form unless its type says so. */
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), tag === 'button' ? { type: 'button', ...attributes } : attributes, children)

/** A part of a panel, a quiet paragraph, and quiet words. */
export const part = (...children) => h('div', { class: 'part' }, ...children)
export const note = (...children) => h('p', { class: 'dim' }, ...children)
export const dim = (...children) => h('span', { class: 'dim' }, ...children)

/** A list of names and what belongs to them. Entries that are false are left out. */
export const pairs = entries => h('dl', {}, entries.filter(Boolean).map(([name, ...value]) => [h('dt', {}, name), h('dd', {}, value)]))

/** A field to filter what a view shows. */
export const search = (label, oninput) => h('input', { type: 'search', placeholder: label, 'aria-label': label, oninput })

/** An SVG element. */
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children)

/** Sets a text only if it differs, so that an unchanged page costs no layout. */
export function setText(element, text) {
	if (element.textContent !== text) element.textContent = text
}

/** Sets or removes an attribute only if it differs. */
export function setAttribute(element, name, value) {
	if (value === null || value === false) { if (element.hasAttribute(name)) element.removeAttribute(name) }
	else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value)
}

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const fine = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 })

/** A number with thousands separators. */
export const count = number => (typeof number === 'bigint' ? whole : Number.isInteger(number) ? whole : fine).format(number)

/** A number and its noun: `1 step`, `2 steps`. */
export const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`

/** The time of an ISO text in milliseconds since 1970, with the fraction that `Date` cuts. */
export function instant(iso) {
	const [, seconds, fraction] = /^(.{19})(?:\.(\d+))?/.exec(iso ?? '') ?? []
	return seconds ? Date.parse(seconds + 'Z') + Number(`0.${fraction ?? 0}`) * 1000 : NaN
}

const two = number => String(number).padStart(2, '0')

/** A local time of day with milliseconds. */
export function clock(milliseconds) {
	if (!Number.isFinite(milliseconds)) return ''
	const date = new Date(milliseconds)
	return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** The list of a key, which a map gets if it has none. */
export const listOf = (map, key) => map.get(key) ?? map.set(key, []).get(key)

/** An element with a local time; its title is the full time. */
export const timeElement = (milliseconds, iso) =>
	h('time', { title: `${new Date(milliseconds).toLocaleString()} (${iso ?? ''})`, datetime: iso }, clock(milliseconds))

/** A duration of nanoseconds in a fitting unit. */
export function duration(nanoseconds) {
	if (nanoseconds === null || nanoseconds === undefined) return '–'
	for (const [unit, size] of [['h', 3.6e12], ['min', 6e10], ['s', 1e9], ['ms', 1e6], ['µs', 1e3]]) {
		if (nanoseconds >= size) return `${count(Number((nanoseconds / size).toPrecision(3)))} ${unit}`
	}
	return `${count(nanoseconds)} ns`
}

/** JSON text to a value. Whole numbers that a double cannot hold become a `BigInt`, in browsers that can write it, too. */
export function parse(text) {
	if (!/\d{16}/.test(text)) return JSON.parse(text)
	return JSON.parse(text, (_, value, context) =>
		typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
			? BigInt(context.source) : value)
}

/** A value to JSON text. */
export const json = (value, space) => JSON.stringify(value, (_, part) =>
	typeof part === 'bigint' ? JSON.rawJSON(String(part)) : part, space) ?? 'nothing'

/** The fields that a person has written as JSON: `{payload}`, or `{error}` if they are none. */
export function written(text) {
	try { return { payload: parse(text || '{}') } } catch (error) {
		return { error: { message: `the fields are not JSON: ${error.message}`, help: ['write an object such as {"by": "Ada"}'] } }
	}
}

/** The value at a path of fields, such as `owner.name`. */
export const valueAt = (object, path) => path.split('.').reduce((value, name) => value?.[name], object)

/** A value as short text: numbers with separators, texts in quotes, cut after `most` characters. */
export function brief(value, most = 80) {
	const text = typeof value === 'number' || typeof value === 'bigint' ? count(value)
		: value === undefined ? 'nothing' : json(value)
	return text.length > most ? text.slice(0, most - 1) + '…' : text
}

/** The fields of an event as short text: `by: "Ada", times: 3`. */
export function fields(payload, most = 120) {
	const text = Object.entries(payload ?? {}).map(([name, value]) => `${name}: ${brief(value, 60)}`).join(', ')
	return text.length > most ? text.slice(0, most - 1) + '…' : text
}

/** A value as an element. A long one is cut, and a button shows all of it. */
export function valueElement(value, most = 80) {
	const text = brief(value, most)
	const element = h('span', { class: 'value mono' }, text)
	if (!text.endsWith('…')) return element
	return h('span', {}, element, ' ', h('button', { class: 'small', onclick: () => showAll(value) },
		`all ${count(json(value).length)} characters`))
}

/** Changes by path, each with the old value and the new one. */
export function changeList(changed) {
	const entries = Object.entries(changed ?? {})
	return entries.length ? pairs(entries.map(([path, [old, now]]) => [path, h('del', { class: 'old mono' }, brief(old, 60)),
		h('span', { role: 'img', 'aria-label': ' changed to ' }, ' → '), valueElement(now, 60)])) : note('nothing')
}

/** Shows a whole value in a dialog. */
export function showAll(value, title = 'The whole value') {
	const text = typeof value === 'string' ? value : json(value, 2)
	const dialog = h('dialog', { 'aria-label': title, onclose: () => dialog.remove() },
		h('div', { class: 'bar' }, h('h2', {}, title), copyButton('Copy', () => text),
			h('button', { onclick: () => dialog.close() }, 'Close')),
		h('pre', { tabindex: '0', 'aria-label': title }, text))
	document.body.append(dialog)
	dialog.showModal()
}

/** A button that copies a text. If the browser refuses, a dialog shows the text. */
export function copyButton(label, text) {
	const button = h('button', {}, label)
	button.addEventListener('click', async () => {
		const value = await text()
		if (typeof value !== 'string') return
		try {
			await navigator.clipboard.writeText(value)
			announce(`${label}: copied`)
			button.textContent = 'Copied ✓'
			setTimeout(() => { button.textContent = label }, 1500)
		} catch { showAll(value, label) }
	})
	return button
}

/** Says something to screen readers. */
export function announce(text) { document.getElementById('says').textContent = text }

/** The empty state of a view: what would be there, and how to get it. */
export const empty = (title, ...how) => h('div', { class: 'empty' }, h('p', {}, h('strong', {}, title)), how.map(line => h('p', {}, line)))

/** What a list shows in place of rows that a filter has left out. */
export const nothingFits = () => empty('Nothing fits the filter.')

/** Shows a list; or, without rows, that nothing fits the filter; or, without any row at all, what would be there. */
export function showList(list, rows, all, none, nothing) {
	list.hidden = rows.length === 0
	none.hidden = rows.length > 0 || all.length === 0
	nothing.hidden = all.length > 0
}

/** An error of the host, with its help. */
export const problem = error => h('p', { class: 'bad', role: 'alert' }, h('span', { 'aria-hidden': 'true' }, '▲ '),
	error.message ?? error.code, (error.help ?? []).map(line => dim(` (${line})`)))

/** A panel with a heading. */
export const panel = (title, attributes, ...children) => {
	const side = h('span', { class: 'side' })
	const section = h('section', { 'aria-label': title, ...attributes }, h('h2', {}, title, side), ...children)
	section.side = side
	return section
}

/** The head of arrows: what `marker-end` refers to. */
export const arrowHead = (id, size) => svg('defs', {}, svg('marker', { id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: size, markerHeight: size, markerUnits: 'userSpaceOnUse', orient: 'auto' },
	svg('path', { d: 'M0,0.5 L7.5,4 L0,7.5z' })))
