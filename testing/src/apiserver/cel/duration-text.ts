/** Units in nanoseconds, by how their names begin; the first that fits counts. */
const UNITS: readonly (readonly [RegExp, bigint])[] = [
  [/^n/, 1n],
  [/^(us|µs|micro)/, 1_000n],
  [/^(ms|milli)/, 1_000_000n],
  [/^s/, 1_000_000_000n],
  [/^m/, 60_000_000_000n],
  [/^h/, 3_600_000_000_000n],
  [/^d/, 86_400_000_000_000n],
  [/^w/, 604_800_000_000_000n],
];

/** A duration that a schema takes, in the syntax that CEL takes, too: `3 weeks` in nanoseconds. */
export function celDurationText(text: string): string {
  if (/^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) {
    return text === '0' ? '0s' : text;
  }
  const parts = text.toLowerCase().matchAll(/(\d+)\s*([a-zµ]+)/g);
  const nanos = [...parts].reduce((sum, [, count = '0', unit = '']) => {
    const [, factor = 0n] = UNITS.find(([name]) => name.test(unit)) ?? [];
    return sum + BigInt(count) * factor;
  }, 0n);
  return `${nanos}ns`;
}
