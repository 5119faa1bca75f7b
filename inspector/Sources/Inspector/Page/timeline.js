import { panel } from './dom.js'
export class TimelineView { element = panel('Timeline', {}); constructor(app) {} draw() {} }
