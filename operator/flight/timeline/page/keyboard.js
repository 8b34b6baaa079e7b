/**
 * The keys of the chart, while it has the focus.
 *
 * @import { Model } from './model.js'
 */

/**
 * @typedef {object} KeyboardActions
 * @property {() => void} redraw
 * @property {(index: number | undefined) => void} select
 * @property {() => void} open - the details of the selected item
 * @property {() => void} filter - go to the field of the filter
 */

/**
 * @param {Model} model
 * @param {KeyboardActions} actions
 * @returns {(event: KeyboardEvent) => void}
 */
export function chartKeys(model, { redraw, select, open, filter }) {
  /** @param {number | undefined} index */
  const go = (index) => {
    if (index !== undefined) select(index);
  };
  /** @param {() => void} change */
  const view = (change) => () => {
    change();
    redraw();
  };
  /** @type {Record<string, () => void>} */
  const actions = {
    ArrowRight: () => go(model.besideSelected(1)),
    ArrowLeft: () => go(model.besideSelected(-1)),
    ArrowDown: () => go(besideRow(model, 1)),
    ArrowUp: () => go(besideRow(model, -1)),
    PageDown: () => go(besideRow(model, 10)),
    PageUp: () => go(besideRow(model, -10)),
    Home: () => go(model.shownOfRow[model.selectedItem?.row ?? -1]?.[0]),
    End: () => go(model.shownOfRow[model.selectedItem?.row ?? -1]?.at(-1)),
    Enter: open,
    ' ': open,
    Escape: () => select(undefined),
    e: () => go(model.nextError(1)),
    E: () => go(model.nextError(-1)),
    '+': view(() => model.zoom(0.5, centre(model))),
    '=': view(() => model.zoom(0.5, centre(model))),
    '-': view(() => model.zoom(2, centre(model))),
    0: view(() => model.showAll()),
    'Shift+ArrowRight': view(() => model.pan(0.25)),
    'Shift+ArrowLeft': view(() => model.pan(-0.25)),
    '/': filter,
  };
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isArrow = event.shiftKey && event.key.startsWith('Arrow');
    const action = actions[isArrow ? `Shift+${event.key}` : event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
}

/**
 * What a zoom keeps in its place: the selected item while it is seen, otherwise the middle.
 *
 * @param {Model} model
 */
export function centre(model) {
  const at = model.selectedItem?.at;
  const isSeen = at !== undefined && at >= model.from && at <= model.to;
  return isSeen ? at : (model.from + model.to) / 2;
}

/**
 * The item of a row above or below that is closest in time. Without a selection, the first item that is seen.
 *
 * @param {Model} model
 * @param {number} by
 */
function besideRow(model, by) {
  const rows = model.rowsShown;
  const item = model.selectedItem;
  if (item === undefined) return model.closest(rows[0] ?? -1, model.from);
  const place = rows.indexOf(item.row) + by;
  return model.closest(rows[Math.min(Math.max(place, 0), rows.length - 1)] ?? -1, item.at);
}
