import { type Axis, linearAxis, logAxis, tickLabel } from './axis.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Plot {
  readonly title: string;
  /** For who cannot see it: what is shown, in a sentence. */
  readonly description: string;
  /** With the unit. */
  readonly xLabel: string;
  readonly yLabel: string;
  /** Equal factors are equally far apart on the x axis. Default false. */
  readonly logX?: boolean;
  readonly curves: readonly Curve[];
}

const WIDTH = 720;
const HEIGHT = 400;
const BOX = { left: 76, right: 24, top: 90, bottom: 60 } as const;
/** Told apart by who sees no red or green, too (Okabe and Ito); and by dashes and marks, in print. */
const INKS = [
  { colour: '#0072b2', dash: '' },
  { colour: '#d55e00', dash: '7 4' },
  { colour: '#009e73', dash: '2 4' },
  { colour: '#7b3294', dash: '9 3 2 3' },
] as const;
/** Two names beside each other, the next two below. */
const LEGEND = { columns: 2, width: 300, top: 50, height: 20 } as const;

/**
 * Line plots as an SVG document of its own, with a background of its own, so that it is legible on
 * light and on dark pages. The same plot makes the same bytes.
 *
 * @throws RangeError for a point that has no place, such as 0 on a logarithmic axis.
 */
export function renderPlot(plot: Plot): string {
  const { title, description, curves, logX = false } = plot;
  const points = curves.flatMap((curve) => curve.points);
  const stray = points.find(({ x, y }) => !Number.isFinite(x) || !Number.isFinite(y));
  if (stray !== undefined) throw new RangeError(`no place for ${stray.x}, ${stray.y}`);
  const xs = points.map(({ x }) => x);
  const xAxis = logX ? logAxis(xs) : linearAxis(xs);
  const yAxis = linearAxis(points.map(({ y }) => y));
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="13" fill="#24292f">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(description)}</desc>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="6" fill="#ffffff" stroke="#d0d7de"/>`,
    `<text x="${BOX.left}" y="28" font-size="16" font-weight="600">${escaped(title)}</text>`,
    ...curves.map((curve, index) => legend(curve, index)),
    ...yAxis.ticks.map((tick) => yMark(tick, yAxis)),
    ...xAxis.ticks.map((tick) => xMark(tick, xAxis)),
    ...axisLabels(plot),
    ...curves.flatMap((curve, index) => drawn(curve, index, { xAxis, yAxis })),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

/** Text as XML takes it, in elements and in attributes. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function legend({ name }: Curve, index: number): string {
  const x = BOX.left + (index % LEGEND.columns) * LEGEND.width;
  const y = LEGEND.top + Math.floor(index / LEGEND.columns) * LEGEND.height;
  const { colour, dash } = inkOf(index);
  const line = `<line x1="${x}" y1="${y}" x2="${x + 26}" y2="${y}" stroke="${colour}" stroke-width="2"${dashOf(dash)}/>`;
  return `${line}<text x="${x + 32}" y="${y + 4}">${escaped(name)}</text>`;
}

function yMark(tick: number, axis: Axis): string {
  const y = shown(yOf(tick, axis));
  const line = `<line x1="${BOX.left}" y1="${y}" x2="${WIDTH - BOX.right}" y2="${y}" stroke="#d0d7de"/>`;
  const label = `<text x="${BOX.left - 8}" y="${shown(yOf(tick, axis) + 4)}" text-anchor="end">${tickLabel(tick)}</text>`;
  return line + label;
}

function xMark(tick: number, axis: Axis): string {
  const x = shown(xOf(tick, axis));
  const bottom = HEIGHT - BOX.bottom;
  const line = `<line x1="${x}" y1="${bottom}" x2="${x}" y2="${bottom + 5}" stroke="#57606a"/>`;
  return `${line}<text x="${x}" y="${bottom + 20}" text-anchor="middle">${tickLabel(tick)}</text>`;
}

function axisLabels({ xLabel, yLabel, logX = false }: Plot): readonly string[] {
  const middleX = BOX.left + (WIDTH - BOX.left - BOX.right) / 2;
  const middleY = BOX.top + (HEIGHT - BOX.top - BOX.bottom) / 2;
  const x = `${xLabel}${logX ? ' (logarithmic)' : ''}`;
  return [
    `<text x="${middleX}" y="${HEIGHT - 16}" text-anchor="middle">${escaped(x)}</text>`,
    `<text transform="translate(20 ${middleY}) rotate(-90)" text-anchor="middle">${escaped(yLabel)}</text>`,
  ];
}

function drawn(
  { points }: Curve,
  index: number,
  { xAxis, yAxis }: { readonly xAxis: Axis; readonly yAxis: Axis },
): readonly string[] {
  const { colour, dash } = inkOf(index);
  const places = points
    .toSorted((a, b) => a.x - b.x)
    .map(({ x, y }) => ({ x: shown(xOf(x, xAxis)), y: shown(yOf(y, yAxis)) }));
  const path = places.map(({ x, y }) => `${x},${y}`).join(' ');
  return [
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"${dashOf(dash)}/>`,
    ...places.map(({ x, y }) => `<circle cx="${x}" cy="${y}" r="3.5" fill="${colour}"/>`),
  ];
}

function xOf(value: number, { place }: Axis): number {
  return BOX.left + place(value) * (WIDTH - BOX.left - BOX.right);
}

function yOf(value: number, { place }: Axis): number {
  return HEIGHT - BOX.bottom - place(value) * (HEIGHT - BOX.top - BOX.bottom);
}

function inkOf(index: number): (typeof INKS)[number] {
  return INKS[index % INKS.length] ?? INKS[0];
}

function dashOf(dash: string): string {
  return dash === '' ? '' : ` stroke-dasharray="${dash}"`;
}

/** Tenths of a pixel: nobody sees less, and files stay short. */
function shown(value: number): string {
  return String(Math.round(value * 10) / 10);
}
