import { table } from '../markdown.ts';
import { summarise } from '../statistics.ts';
import { LAYER_NAMES, LAYERS, type LayerName } from './layers.ts';
import type { LayerFigures, Microseconds } from './run-layer.ts';

/** One run of one layer. */
export interface Measured {
  readonly name: LayerName;
  readonly figures: LayerFigures;
}

const HEAD = [
  'layer',
  'first burst: CPU µs an event',
  'of it garbage collection',
  'second burst: CPU µs an event',
  'of it garbage collection',
  'peak memory, MB',
];

/**
 * The medians over all runs, one row for each layer.
 *
 * @throws Error when two runs have counted different numbers of events: one of them has lost some.
 */
export function layersTable(measured: readonly Measured[]): string {
  const counts = new Set(measured.map(({ figures }) => figures.events));
  if (counts.size > 1) {
    throw new Error(
      `the layers have counted different numbers of events: ${[...counts].join(', ')}`,
    );
  }
  const rows = LAYER_NAMES.map((name) => {
    const runs = measured.filter((each) => each.name === name).map(({ figures }) => figures);
    const median = (of: (figures: LayerFigures) => number): string =>
      number(summarise(runs.map(of))?.median);
    return [
      LAYERS[name].title,
      median(({ first }) => cpu(first)),
      median(({ first }) => first.collection),
      median(({ second }) => cpu(second)),
      median(({ second }) => second.collection),
      median(({ peakBytes }) => peakBytes / 1e6),
    ];
  });
  return table(HEAD, rows);
}

function cpu({ user, system }: Microseconds): number {
  return user + system;
}

/** Two digits after the point below 10, none from 100 on; `–` for a layer without a run. */
function number(value: number | undefined): string {
  if (value === undefined) return '–';
  return value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0);
}
