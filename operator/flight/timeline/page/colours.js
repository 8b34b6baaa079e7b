/**
 * The colours of the chart. The style sheet has them, for light and dark, so that a change of the reader's settings
 * changes both.
 *
 * @import { TimelineItem } from '../timeline-data.ts'
 */

/** Custom properties of the style sheet, without their dashes. */
const NAMES = /** @type {const} */ ([
  'page',
  'panel',
  'text',
  'dim',
  'line',
  'stripe',
  'focus',
  'good',
  'steady',
  'bad',
  'waiting',
  'off',
  'wake',
  'write',
  'read',
  'change',
  'brush',
]);

/** @typedef {Record<(typeof NAMES)[number], string>} Colours */

/** @returns {Colours} */
export function currentColours() {
  const style = getComputedStyle(document.documentElement);
  return /** @type {Colours} */ (
    Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]))
  );
}

/**
 * @param {Colours} colours
 * @param {TimelineItem} item
 */
export function colourOf(colours, { kind, tone }) {
  if (tone === 'good' && (kind === 'watch' || kind === 'leader')) return colours.steady;
  if (tone !== undefined) return colours[tone];
  switch (kind) {
    case 'wake':
      return colours.wake;
    case 'write':
      return colours.write;
    case 'read':
      return colours.read;
    case 'change':
      return colours.change;
    case 'held':
    case 'clock':
      return colours.waiting;
    default:
      return colours.good;
  }
}
