/**
 * How each kind of item is drawn in its row. Kinds differ by form and by place, so that nobody needs to tell colours
 * apart.
 *
 * @import { ItemKind, TimelineItem } from '../timeline-data.ts'
 * @import { Colours } from './colours.js'
 */
import { colourOf } from './colours.js';

/**
 * Pixels, from the top of the row.
 *
 * @typedef {object} Box
 * @property {number} left
 * @property {number} right
 * @property {number} top
 * @property {number} bottom
 */

/** @type {Readonly<Record<ItemKind, readonly [top: number, bottom: number]>>} */
const HEIGHTS = {
  wake: [1, 8],
  log: [2, 12],
  reconcile: [8, 17],
  held: [8, 17],
  watch: [3, 15],
  leader: [6, 20],
  change: [16, 24],
  clock: [8, 18],
  write: [16, 25],
  read: [18, 24],
};

/** Half the width of what has no length, where there is room. */
export const HALF = 4.5;

/**
 * Where an item is, at least as wide as a mark.
 *
 * @param {TimelineItem} item
 * @param {(at: number) => number} xOf
 * @param {number} [half] - half the width of what has no length
 * @returns {Box}
 */
export function boxOf(item, xOf, half = HALF) {
  const [top, bottom] = HEIGHTS[item.kind];
  const x = xOf(item.at);
  if (!isBar(item)) return { left: x - half, right: x + half, top, bottom };
  return { left: x, right: Math.max(x + 2, xOf(item.to ?? item.at)), top, bottom };
}

/**
 * @param {TimelineItem} item
 */
export function isBar({ kind, to }) {
  return to !== undefined && kind !== 'write' && kind !== 'read';
}

/**
 * @param {CanvasRenderingContext2D} context - its origin is the left upper corner of the row
 * @param {TimelineItem} item
 * @param {Box} box
 * @param {Colours} colours
 */
export function drawMark(context, item, box, colours) {
  const colour = colourOf(colours, item);
  context.fillStyle = colour;
  context.strokeStyle = colour;
  const middle = (box.left + box.right) / 2;
  const centre = (box.top + box.bottom) / 2;
  if (isBar(item)) drawBar(context, item, box, colours);
  else if (item.kind === 'wake')
    fillPath(context, [box.left, box.top, box.right, box.top, middle, box.bottom]);
  else if (item.failed) drawCross(context, middle, centre);
  else if (item.kind === 'change')
    fillCircle(context, middle, centre, Math.min(3, middle - box.left));
  else if (item.kind === 'read') fillCircle(context, middle, centre, 2);
  else
    fillPath(context, [
      box.left,
      centre,
      middle,
      centre - HALF,
      box.right,
      centre,
      middle,
      centre + HALF,
    ]);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {TimelineItem} item
 * @param {Box} box
 * @param {Colours} colours
 */
function drawBar(context, item, { left, right, top, bottom }, colours) {
  const width = right - left;
  const radius = Math.min(2.5, width / 2);
  context.beginPath();
  context.roundRect(left, top, width, bottom - top, item.open ? [radius, 0, 0, radius] : radius);
  if (item.kind === 'held') {
    context.globalAlpha = 0.22;
    context.fill();
    context.globalAlpha = 1;
    drawHatching(context, left, right, top, bottom);
  } else {
    context.fill();
  }
  if (item.failed && width > 9) drawBarCross(context, left, top, bottom, colours);
  if (item.kind === 'watch' || item.kind === 'leader') {
    drawWords(context, item, left, width, (top + bottom) / 2, colours);
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} left
 * @param {number} right
 * @param {number} top
 * @param {number} bottom
 */
function drawHatching(context, left, right, top, bottom) {
  const [first, last] = [Math.max(left, -20), Math.min(right, context.canvas.width)];
  context.save();
  context.clip();
  context.lineWidth = 1.2;
  context.beginPath();
  for (let x = first - ((first - left) % 6) - 9; x < last; x += 6) {
    context.moveTo(x, bottom);
    context.lineTo(x + (bottom - top), top);
  }
  context.stroke();
  context.restore();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} left
 * @param {number} top
 * @param {number} bottom
 * @param {Colours} colours
 */
function drawBarCross(context, left, top, bottom, colours) {
  context.strokeStyle = colours.page;
  const size = 2.4;
  const [x, y] = [Math.max(left, 0) + 5, (top + bottom) / 2];
  strokeCross(context, x, y, size, 1.5);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 */
function drawCross(context, x, y) {
  strokeCross(context, x, y, 3.5, 2.4);
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {number} width
 */
function strokeCross(context, x, y, size, width) {
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x + size, y - size);
  context.lineTo(x - size, y + size);
  context.stroke();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 */
function fillCircle(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {readonly number[]} points - x and y of each
 */
function fillPath(context, points) {
  context.beginPath();
  for (let index = 0; index < points.length; index += 2) {
    context.lineTo(points[index] ?? 0, points[index + 1] ?? 0);
  }
  context.fill();
}

/**
 * Words in a bar that is wide enough for them.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {TimelineItem} item
 * @param {number} left
 * @param {number} width
 * @param {number} centre
 * @param {Colours} colours
 */
function drawWords(context, item, left, width, centre, colours) {
  const words = item.summary;
  const start = Math.max(left, 0) + 6;
  const room = left + width - start - 6;
  if (room < 40 || context.measureText(words).width > room) return;
  context.fillStyle = item.tone === 'good' ? colours.text : colours.page;
  context.fillText(words, start, centre + 0.5);
}
