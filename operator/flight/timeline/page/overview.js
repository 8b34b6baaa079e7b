/**
 * The whole record in one strip: how much happened when, errors in front, and the span that the chart shows.
 *
 * @import { Model } from './model.js'
 * @import { Colours } from './colours.js'
 */

import { sized } from './chart.js';
import { byId } from './dom.js';

/** Width of one column, in pixels. */
const COLUMN = 3;

export class Overview {
  /** @type {Model} */
  #model;
  /** @type {HTMLCanvasElement} */
  #canvas = byId('overview');

  /** @param {Model} model */
  constructor(model) {
    this.#model = model;
  }

  /** @param {number} x - from the left of the strip */
  timeAt(x) {
    const { from, to } = this.#model.data;
    return from + (x / Math.max(1, this.#canvas.clientWidth)) * Math.max(1, to - from);
  }

  /** @param {Colours} colours */
  draw(colours) {
    const context = sized(this.#canvas);
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const { from, to } = this.#model.data;
    const scale = width / Math.max(1, to - from);
    const { all, failed } = this.#counts(Math.max(1, Math.ceil(width / COLUMN)));
    const most = Math.max(1, ...all);
    for (const [column, count] of all.entries()) {
      const errors = failed[column] ?? 0;
      const tall = (/** @type {number} */ n) =>
        n === 0 ? 0 : 2 + ((height - 6) * Math.sqrt(n)) / Math.sqrt(most);
      context.fillStyle = colours.off;
      context.fillRect(column * COLUMN, height - tall(count), COLUMN - 1, tall(count));
      context.fillStyle = colours.bad;
      context.fillRect(column * COLUMN, height - tall(errors), COLUMN - 1, tall(errors));
    }
    const left = Math.max(0, (this.#model.from - from) * scale);
    const right = Math.min(width, (this.#model.to - from) * scale);
    context.fillStyle = colours.brush;
    context.fillRect(left, 0, Math.max(3, right - left), height);
    context.strokeStyle = colours.focus;
    context.lineWidth = 1.5;
    context.strokeRect(left + 0.75, 0.75, Math.max(3, right - left - 1.5), height - 1.5);
  }

  /** @param {number} columns */
  #counts(columns) {
    const all = new Array(columns).fill(0);
    const failed = new Array(columns).fill(0);
    const { from, to, items } = this.#model.data;
    for (const index of this.#model.shown) {
      const item = items[index];
      if (item === undefined) continue;
      const share = (item.at - from) / Math.max(1, to - from);
      const column = Math.min(columns - 1, Math.max(0, Math.floor(share * columns)));
      all[column]++;
      if (item.failed) failed[column]++;
    }
    return { all, failed };
  }
}
