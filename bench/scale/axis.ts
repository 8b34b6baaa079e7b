/** One axis: which values have a mark, and where a value is between the two ends. */
export interface Axis {
  /** In ascending order. */
  readonly ticks: readonly number[];
  /** 0 at the beginning of the axis, 1 at its end. */
  readonly place: (value: number) => number;
}

/** Steps of an axis that people can count in. */
const STEPS = [1, 2, 2.5, 5, 10];
const WANTED_TICKS = 5;

/** From 0 to a round number that no value is above. */
export function linearAxis(values: readonly number[]): Axis {
  const most = Math.max(...values, 0);
  const step = most === 0 ? 1 : roundStep(most / WANTED_TICKS);
  const count = Math.max(Math.ceil(most / step - 1e-9), 1);
  // Multiplied, not added up: 3 × 0.1 is one rounding away from 0.3, and not three.
  const ticks = Array.from({ length: count + 1 }, (_, index) => rounded(index * step));
  const end = count * step;
  return { ticks, place: (value) => value / end };
}

/**
 * Equal factors are equally far apart; a mark at each value.
 *
 * @throws RangeError for a value of 0 or less, which has no place on it.
 */
export function logAxis(values: readonly number[]): Axis {
  const ticks = [...new Set(values)].toSorted((a, b) => a - b);
  const [first = 1] = ticks;
  const last = ticks.at(-1) ?? first;
  if (!(first > 0)) throw new RangeError(`a logarithmic axis has no place for ${first}`);
  if (first === last) return { ticks, place: () => 0.5 };
  const width = Math.log(last / first);
  return { ticks, place: (value) => Math.log(value / first) / width };
}

/** `1k`, `2.5M`, `0.3`: as short as a mark has to be. */
export function tickLabel(value: number): string {
  if (Math.abs(value) >= 1e6) return `${rounded(value / 1e6)}M`;
  if (Math.abs(value) >= 1e3) return `${rounded(value / 1e3)}k`;
  return String(rounded(value));
}

function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  const factor = STEPS.find((candidate) => candidate * power >= atLeast * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
