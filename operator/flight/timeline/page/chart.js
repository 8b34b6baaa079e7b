/**
 * The chart: rows as far as they are seen, drawn on one canvas, with their names beside it.
 *
 * @import { TimelineItem } from '../timeline-data.ts'
 * @import { ChartLine, Model } from './model.js'
 * @import { Colours } from './colours.js'
 */
import { byId, make } from './dom.js';
import { boxOf, drawMark, HALF, isBar } from './marks.js';
import { ROW_HEIGHT } from './model.js';
import { clockWords, tickMoments, tickStep, wallAt } from './time.js';

/** Height of the axis, which stays at the top. */
export const AXIS_HEIGHT = 26;

/** Pixels around a mark that belong to it, for a pointer. */
const REACH = 4;

/** Pixels between two ticks of the axis, at least. */
const TICK_PIXELS = 96;

export class Chart {
  /** @type {Model} */
  #model;
  #scroller = byId('scroller');
  #holder = byId('holder');
  #labels = byId('labels');
  /** @type {HTMLCanvasElement} */
  #canvas = byId('canvas');
  #spacer = byId('spacer');
  /** @type {HTMLElement[]} */
  #pool = [];

  /** @param {Model} model */
  constructor(model) {
    this.#model = model;
  }

  /** Of the canvas, in pixels. It is read from the page once for each drawing, because reading lays the page out. */
  width = 1;

  /** @param {number} at */
  xOf(at) {
    const { from, to } = this.#model;
    return ((at - from) / (to - from)) * this.width;
  }

  /** @param {number} x */
  timeAt(x) {
    const { from, to } = this.#model;
    return from + (x / Math.max(1, this.width)) * (to - from);
  }

  /**
   * The item under a pointer: of several the smallest, and of equal ones the latest.
   *
   * @param {number} x - from the left of the canvas
   * @param {number} y - from its top
   * @returns {number | undefined}
   */
  itemAt(x, y) {
    const line = this.#lineAt(y);
    if (line?.row === undefined) return undefined;
    const inRow = y - AXIS_HEIGHT + this.#scroller.scrollTop - line.top;
    let best;
    let size = Number.POSITIVE_INFINITY;
    for (const index of this.#model.shownOfRow[line.row] ?? []) {
      const item = this.#model.data.items[index];
      if (item === undefined) continue;
      const { left, right, top, bottom } = boxOf(item, (at) => this.xOf(at));
      const isInside =
        x >= left - REACH && x <= right + REACH && inRow >= top - REACH && inRow <= bottom + REACH;
      const away = Math.abs(inRow - (top + bottom) / 2) + Math.max(0, left - x, x - right);
      const cost = (isBar(item) ? 100 : 0) + away;
      if (isInside && cost <= size) [best, size] = [index, cost];
    }
    return best;
  }

  /** Brings the selected item into view, if it is outside. */
  reveal() {
    const item = this.#model.selectedItem;
    if (item === undefined) return;
    const { from, to } = this.#model;
    const span = to - from;
    const isLong = (item.to ?? item.at) - item.at > span;
    const end = isLong ? item.at : (item.to ?? item.at);
    if (item.at < from || end > to) this.#model.show(item.at - span / 2, item.at + span / 2);
    const line = this.#model.lines.find(({ row }) => row === item.row);
    if (line === undefined) return;
    const seen = this.#scroller.clientHeight - AXIS_HEIGHT;
    const { scrollTop } = this.#scroller;
    if (line.top < scrollTop) this.#scroller.scrollTop = line.top - ROW_HEIGHT;
    else if (line.top + line.height > scrollTop + seen) {
      this.#scroller.scrollTop = line.top + line.height - seen + ROW_HEIGHT;
    }
  }

  /** @param {Colours} colours */
  draw(colours) {
    const { clientHeight } = this.#scroller;
    this.#holder.style.height = `${clientHeight}px`;
    this.#spacer.style.height = `${Math.max(0, this.#model.height + AXIS_HEIGHT - clientHeight)}px`;
    const context = sized(this.#canvas);
    this.width = Math.max(1, this.#canvas.clientWidth);
    const { scrollTop } = this.#scroller;
    const lines = this.#model.lines.filter(
      ({ top, height }) => top + height > scrollTop && top < scrollTop + clientHeight,
    );
    this.#showLabels(lines, scrollTop);
    const ticks = this.#ticks();
    context.font = '11px system-ui, sans-serif';
    context.textBaseline = 'middle';
    this.#drawGrid(context, colours, ticks.moments);
    for (const line of lines) {
      context.save();
      context.translate(0, AXIS_HEIGHT + line.top - scrollTop);
      this.#drawLine(context, colours, line);
      context.restore();
    }
    this.#drawAxis(context, colours, ticks);
  }

  /** @param {number} y */
  #lineAt(y) {
    const inLines = y - AXIS_HEIGHT + this.#scroller.scrollTop;
    if (y < AXIS_HEIGHT) return undefined;
    return this.#model.lines.find(({ top, height }) => inLines >= top && inLines < top + height);
  }

  #ticks() {
    const { from, to, data } = this.#model;
    const step = tickStep(to - from, this.width, TICK_PIXELS);
    return { step, moments: tickMoments(data.walls, from, to, step) };
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Colours} colours
   * @param {readonly number[]} moments
   */
  #drawGrid(context, colours, moments) {
    context.fillStyle = colours.line;
    for (const at of moments) context.fillRect(Math.round(this.xOf(at)), AXIS_HEIGHT, 1, 1e5);
    context.fillStyle = colours.stripe;
    const { from, to } = this.#model.data;
    const [left, right] = [this.xOf(from), this.xOf(to)];
    if (left > 0) context.fillRect(0, AXIS_HEIGHT, left, 1e5);
    if (right < this.width) context.fillRect(right, AXIS_HEIGHT, this.width - right, 1e5);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Colours} colours
   * @param {{ readonly step: number, readonly moments: readonly number[] }} ticks
   */
  #drawAxis(context, colours, { step, moments }) {
    context.fillStyle = colours.panel;
    context.fillRect(0, 0, this.width, AXIS_HEIGHT);
    context.fillStyle = colours.line;
    context.fillRect(0, AXIS_HEIGHT - 1, this.width, 1);
    for (const at of moments) {
      const x = Math.round(this.xOf(at));
      context.fillStyle = colours.line;
      context.fillRect(x, AXIS_HEIGHT - 7, 1, 6);
      context.fillStyle = colours.dim;
      const words = clockWords(wallAt(this.#model.data.walls, at), step);
      if (x + 5 + context.measureText(words).width < this.width) context.fillText(words, x + 5, 11);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Colours} colours
   * @param {ChartLine} line
   */
  #drawLine(context, colours, { row, height }) {
    if (row === undefined) {
      context.fillStyle = colours.panel;
      context.fillRect(0, 0, this.width, height);
      return;
    }
    const selected = this.#model.selectedItem;
    if (selected?.row === row) {
      context.fillStyle = colours.stripe;
      context.fillRect(0, 0, this.width, height);
    }
    context.fillStyle = colours.line;
    context.fillRect(0, height - 1, this.width, 1);
    this.#drawItems(context, colours, row);
    if (selected?.row === row) this.#drawSelection(context, colours, selected);
  }

  /**
   * Bars first, so that marks stand on them. Of equal marks in the same pixels one is enough.
   *
   * @param {CanvasRenderingContext2D} context
   * @param {Colours} colours
   * @param {number} row
   */
  #drawItems(context, colours, row) {
    const { data, shownOfRow } = this.#model;
    const xOf = (/** @type {number} */ at) => this.xOf(at);
    const seen = (shownOfRow[row] ?? [])
      .flatMap((index) => data.items[index] ?? [])
      .filter((item) => item.at <= this.#model.to && (item.to ?? item.at) >= this.#model.from);
    for (const item of seen) this.#drawWait(context, colours, item);
    const half = Math.min(HALF, Math.max(1, (this.width / (seen.length + 1)) * 1.5));
    /** @type {Map<string, number>} */
    const last = new Map();
    for (const bars of [true, false]) {
      for (const item of seen) {
        if (isBar(item) !== bars) continue;
        const box = boxOf(item, xOf, item.failed ? HALF : half);
        const form = `${item.kind} ${item.tone ?? ''} ${item.failed ?? ''}`;
        if (box.right - box.left < 10 && Math.abs((last.get(form) ?? -9) - box.left) < 0.7)
          continue;
        last.set(form, box.left);
        drawMark(context, item, box, colours);
      }
    }
  }

  /**
   * How long a key waited for its worker.
   *
   * @param {CanvasRenderingContext2D} context
   * @param {Colours} colours
   * @param {TimelineItem} item
   */
  #drawWait(context, colours, { at, waitedMs = 0 }) {
    if (waitedMs <= 0) return;
    const [left, right] = [this.xOf(at - waitedMs), this.xOf(at)];
    if (right - left < 2) return;
    context.fillStyle = colours.off;
    context.fillRect(left, 12, right - left, 1.5);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Colours} colours
   * @param {TimelineItem} item
   */
  #drawSelection(context, colours, item) {
    const { left, right, top, bottom } = boxOf(item, (at) => this.xOf(at));
    context.strokeStyle = colours.focus;
    context.lineWidth = 2;
    context.strokeRect(left - 3, top - 2, right - left + 6, bottom - top + 4);
  }

  /**
   * @param {readonly ChartLine[]} lines
   * @param {number} scrollTop
   */
  #showLabels(lines, scrollTop) {
    while (this.#pool.length < lines.length) {
      const label = make('div');
      this.#pool.push(label);
      this.#labels.append(label);
    }
    const row = this.#model.selectedItem?.row;
    for (const [index, element] of this.#pool.entries()) {
      const line = lines[index];
      element.hidden = line === undefined;
      if (line === undefined) continue;
      if (element.textContent !== line.label) element.textContent = line.label;
      element.title = line.label;
      element.className = line.row === undefined ? 'heading' : line.row === row ? 'chosen' : '';
      element.style.height = `${line.height}px`;
      element.style.transform = `translateY(${AXIS_HEIGHT + line.top - scrollTop}px)`;
    }
  }
}

/**
 * A canvas with as many pixels as the screen has for it.
 *
 * @param {HTMLCanvasElement} canvas
 */
export function sized(canvas) {
  const { clientWidth, clientHeight } = canvas;
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(clientWidth * ratio), Math.round(clientHeight * ratio)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser cannot draw on a canvas');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, clientWidth, clientHeight);
  return context;
}
