/** Times in words, and the ticks of an axis. */

/** Distances between ticks, in milliseconds, that people can read. */
const STEPS = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1_000, 2_000, 5_000, 10_000, 15_000, 30_000],
  ...[60_000, 120_000, 300_000, 600_000, 900_000, 1_800_000],
  ...[3_600_000, 7_200_000, 21_600_000, 86_400_000],
];

/**
 * Wall time at a moment of the record, by the last clock that was noted before it.
 *
 * @param {readonly (readonly [at: number, wall: number])[]} walls - ordered, at least one
 * @param {number} at
 */
export function wallAt(walls, at) {
  let [from, wall] = walls[0] ?? [0, 0];
  for (const [nextFrom, nextWall] of walls) {
    if (nextFrom > at) break;
    [from, wall] = [nextFrom, nextWall];
  }
  return wall + at - from;
}

/**
 * `12:34:56.789` in UTC, with fewer digits where they say nothing.
 *
 * @param {number} wall - milliseconds since 1970
 * @param {number} [stepMs] - the distance to the next time that is shown. Default: all digits.
 */
export function clockWords(wall, stepMs = 1) {
  if (!Number.isFinite(wall) || Math.abs(wall) > 8.64e15) return '–';
  const time = new Date(Math.floor(wall)).toISOString().slice(11, 23);
  if (stepMs >= 60_000) return time.slice(0, 5);
  if (stepMs >= 1_000) return time.slice(0, 8);
  if (stepMs >= 1) return time;
  return `${time}${(wall - Math.floor(wall)).toFixed(1).slice(-1)}`;
}

/** @param {number} ms */
export function spanWords(ms) {
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / 1000).toFixed(1))} s`;
  const minutes = Math.floor(Math.round(ms / 1000) / 60);
  const seconds = Math.round(ms / 1000) % 60;
  if (minutes < 60) return seconds === 0 ? `${minutes} min` : `${minutes} min ${seconds} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

/**
 * The distance between ticks such that none is closer to the next than `leastPixels`.
 *
 * @param {number} spanMs
 * @param {number} widthPixels
 * @param {number} leastPixels
 */
export function tickStep(spanMs, widthPixels, leastPixels) {
  const least = (spanMs * leastPixels) / Math.max(1, widthPixels);
  const known = STEPS.find((step) => step >= least);
  return known ?? Math.ceil(least / 86_400_000) * 86_400_000;
}

/**
 * Moments at whole multiples of the step in wall time.
 *
 * @param {readonly (readonly [at: number, wall: number])[]} walls
 * @param {number} from
 * @param {number} to
 * @param {number} stepMs
 * @returns {readonly number[]}
 */
export function tickMoments(walls, from, to, stepMs) {
  const offset = wallAt(walls, from) - from;
  const first = Math.ceil((from + offset) / stepMs);
  const last = Math.floor((to + offset) / stepMs);
  const moments = [];
  for (let each = first; each <= last && moments.length < 1000; each++) {
    moments.push(each * stepMs - offset);
  }
  return moments;
}
