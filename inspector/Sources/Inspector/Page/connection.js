// The connection to the inspector: one text frame is one line of the control protocol.
import { json, parse } from './dom.js'

const gone = { ok: false, error: { code: 'no-inspector', message: 'the inspector does not answer' } }

/** Sends requests and hears lines. It connects again by itself. */
export class Connection {
	#token
	#on
	#socket = null
	/** Requests and who waits for their answers. The first one is sent. */
	#queue = []
	#pause = 250

	/** @param {string} token @param {{line(line), host(state), link(state, about)}} on what to call */
	constructor(token, on) {
		this.#token = token
		this.#on = on
		this.#open()
	}

	/**
	 * Asks the host. The answer always comes: without a host it is an error. A request is sent when the one before is
	 * answered, because the host cuts off a client that asks while much is unread.
	 */
	ask(request) {
		if (this.#socket?.readyState !== WebSocket.OPEN) return Promise.resolve(gone)
		return new Promise(resolve => {
			this.#queue.push({ text: json(request), resolve })
			if (this.#queue.length === 1) this.#socket.send(this.#queue[0].text)
		})
	}

	#answer(line) {
		this.#queue.shift()?.resolve(line)
		if (this.#queue.length) this.#socket.send(this.#queue[0].text)
	}

	#open() {
		const socket = new WebSocket(`ws://${location.host}/ws`)
		this.#socket = socket
		socket.onopen = async () => {
			const answer = await this.ask({ request: 'hello', token: this.#token })
			if (!answer.ok) return
			this.#pause = 250
			this.#on.link('open', answer.inspector)
		}
		socket.onmessage = message => {
			const line = parse(message.data)
			if ('ok' in line) this.#answer(line)
			else if (line.host) this.#on.host(line.host)
			else this.#on.line(line)
		}
		socket.onclose = event => {
			for (const { resolve } of this.#queue.splice(0)) resolve(gone)
			if (event.code === 4401 || event.code === 4400) return this.#on.link('refused')
			this.#on.link('closed')
			setTimeout(() => this.#open(), this.#pause)
			this.#pause = Math.min(this.#pause * 2, 4000)
		}
	}
}
