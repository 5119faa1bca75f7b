import { panel } from './dom.js'
export class TimeView { element = panel('Time', {}); constructor(app) {} draw() {} }
