/** For each of the five fields of a schedule: its bounds, and the names that stand for its numbers. */
const FIELDS: readonly (readonly [least: number, most: number, names: readonly string[]])[] = [
  [0, 59, []],
  [0, 23, []],
  [1, 31, []],
  [1, 12, ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']],
  [0, 6, ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']],
];

const DESCRIPTORS = new Set([
  'yearly',
  'annually',
  'monthly',
  'weekly',
  'daily',
  'midnight',
  'hourly',
]);

/** The reason why a cron schedule is invalid; undefined when it is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorProblem(schedule);
  const parts = schedule.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  for (const [at, [least, most, names]] of FIELDS.entries()) {
    for (const range of parts[at]?.split(',') ?? []) {
      const problem = rangeProblem(range, least, most, names);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  const every = /^@every (.*)$/.exec(text);
  if (every !== null) {
    const duration = every[1] ?? '';
    if (/^[-+]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(duration)) return undefined;
    return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
  }
  return DESCRIPTORS.has(text.slice(1)) ? undefined : `unrecognized descriptor: ${text}`;
}

/** Checks `*`, `5` or `1-5`, each with an optional step after a slash. */
function rangeProblem(
  text: string,
  least: number,
  most: number,
  names: readonly string[],
): string | undefined {
  const [range = '', step, more] = text.split('/');
  const [low = '', high, tooMuch] = range.split('-');
  if (low === '*' || low === '?')
    return more === undefined ? stepProblem(step, text) : `too many slashes: ${text}`;
  if (tooMuch !== undefined) return `too many hyphens: ${text}`;
  const start = numberOf(low, names);
  if (typeof start === 'string') return start;
  // A single number with a step, such as `5/10`, means a range from this number to the largest value.
  const end = high === undefined ? (step === undefined ? start : most) : numberOf(high, names);
  if (typeof end === 'string') return end;
  if (more !== undefined) return `too many slashes: ${text}`;
  const badStep = stepProblem(step, text);
  if (badStep !== undefined) return badStep;
  if (start < least) return `beginning of range (${start}) below minimum (${least}): ${text}`;
  if (end > most) return `end of range (${end}) above maximum (${most}): ${text}`;
  if (start <= end) return undefined;
  return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
}

function stepProblem(step: string | undefined, text: string): string | undefined {
  if (step === undefined) return undefined;
  const value = numberOf(step, []);
  if (typeof value === 'string') return value;
  return value === 0 ? `step of range should be a positive number: ${text}` : undefined;
}

/** @returns the number, or a message if it is invalid. */
function numberOf(text: string, names: readonly string[]): number | string {
  const named = text === '' ? -1 : names.indexOf(text.toLowerCase());
  if (named >= 0) return named;
  if (!/^[-+]?\d+$/.test(text)) {
    const quoted = JSON.stringify(text);
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${quoted}: invalid syntax`;
  }
  return Number(text) < 0 ? `negative number (${Number(text)}) not allowed: ${text}` : Number(text);
}
