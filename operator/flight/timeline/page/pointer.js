/**
 * What a mouse or a finger does to the chart and to the strip of the whole record.
 *
 * @import { Model } from './model.js'
 * @import { Chart } from './chart.js'
 * @import { Overview } from './overview.js'
 */
import { AXIS_HEIGHT } from './chart.js';
import { byId } from './dom.js';

/** A pointer that moved less has clicked. */
const CLICK_PIXELS = 4;

/**
 * @typedef {object} PointerActions
 * @property {() => void} redraw
 * @property {(index: number | undefined) => void} select
 * @property {(index: number | undefined, x: number, y: number) => void} hover - pixels of the window
 */

/**
 * A drag moves the chart, and on the axis it chooses a span; a click selects.
 *
 * @param {Model} model
 * @param {Chart} chart
 * @param {PointerActions} actions
 */
export function followChartPointer(model, chart, { redraw, select, hover }) {
  const canvas = byId('canvas');
  const scroller = byId('scroller');
  /** @type {{ x: number, y: number, from: number, to: number, top: number, moved: boolean, onAxis: boolean } | undefined} */
  let drag;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    const { offsetX: x, offsetY: y } = event;
    const { from, to } = model;
    drag = { x, y, from, to, top: scroller.scrollTop, moved: false, onAxis: y < AXIS_HEIGHT };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    const { offsetX: x, offsetY: y } = event;
    if (drag === undefined) {
      hover(chart.itemAt(x, y), event.clientX, event.clientY);
      return;
    }
    drag.moved ||= Math.hypot(x - drag.x, y - drag.y) >= CLICK_PIXELS;
    if (!drag.moved) return;
    hover(undefined, 0, 0);
    if (drag.onAxis) return showSpan(drag.x, x);
    const by = ((drag.x - x) / Math.max(1, chart.width)) * (drag.to - drag.from);
    model.show(drag.from + by, drag.to + by);
    scroller.scrollTop = drag.top + drag.y - y;
    redraw();
  });
  canvas.addEventListener('pointerup', ({ offsetX: x, offsetY: y }) => {
    const ended = drag;
    drag = undefined;
    showSpan(0, 0);
    if (ended === undefined) return;
    if (!ended.moved) return select(chart.itemAt(x, y));
    if (!ended.onAxis) return;
    model.show(chart.timeAt(Math.min(x, ended.x)), chart.timeAt(Math.max(x, ended.x)));
    redraw();
  });
  canvas.addEventListener('pointercancel', () => {
    drag = undefined;
    showSpan(0, 0);
  });
  canvas.addEventListener('pointerleave', () => hover(undefined, 0, 0));
  canvas.addEventListener('dblclick', ({ offsetX }) => {
    model.zoom(0.4, chart.timeAt(offsetX));
    redraw();
  });
}

/**
 * A wheel scrolls the rows, as everywhere; with Ctrl it zooms, with Shift or sideways it moves in time.
 *
 * @param {Model} model
 * @param {Chart} chart
 * @param {() => void} redraw
 */
export function followWheel(model, chart, redraw) {
  byId('canvas').addEventListener(
    'wheel',
    (event) => {
      const { deltaX, deltaY, offsetX } = event;
      if (event.ctrlKey || event.metaKey) {
        model.zoom(Math.exp(Math.max(-60, Math.min(60, deltaY)) / 200), chart.timeAt(offsetX));
      } else if (event.shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) {
        model.pan((deltaX || deltaY) / Math.max(1, chart.width));
      } else {
        return;
      }
      event.preventDefault();
      redraw();
    },
    { passive: false },
  );
}

/**
 * A press on the strip moves the seen span there.
 *
 * @param {Model} model
 * @param {Overview} overview
 * @param {() => void} redraw
 */
export function followOverviewPointer(model, overview, redraw) {
  const canvas = byId('overview');
  let isDown = false;
  /** @param {PointerEvent} event */
  const move = ({ offsetX }) => {
    const half = (model.to - model.from) / 2;
    const at = overview.timeAt(offsetX);
    model.show(at - half, at + half);
    redraw();
  };
  canvas.addEventListener('pointerdown', (event) => {
    isDown = true;
    canvas.setPointerCapture(event.pointerId);
    move(event);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (isDown) move(event);
  });
  canvas.addEventListener('pointerup', () => {
    isDown = false;
  });
}

/**
 * The span that a drag on the axis chooses; nothing when both are equal.
 *
 * @param {number} a - pixels from the left of the chart
 * @param {number} b
 */
function showSpan(a, b) {
  const element = byId('span');
  element.hidden = a === b;
  element.style.left = `${Math.min(a, b)}px`;
  element.style.width = `${Math.abs(a - b)}px`;
}
