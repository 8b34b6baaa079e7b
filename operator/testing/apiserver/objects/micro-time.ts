/** The layout in which Go reads a metav1.MicroTime: exactly six digits behind the second. */
const LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

const PARTS: readonly (readonly [pattern: RegExp, layout: string])[] = [
  [/^\d{4}/, '2006'],
  [/^-\d\d/, '-01'],
  [/^-\d\d/, '-02'],
  [/^T\d\d/, 'T15'],
  [/^:\d\d/, ':04'],
  [/^:\d\d/, ':05'],
  [/^\.\d{6}(?!\d)/, '.000000'],
  [/^(Z|[+-]\d\d:\d\d)$/, 'Z07:00'],
];

/** Why `value` is no MicroTime, in the words of Go; undefined when it is one, or absent. */
export function microTimeProblem(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = String(value);
  let rest = text;
  for (const [pattern, layout] of PARTS) {
    const match = pattern.exec(rest);
    if (match === null) {
      const [found, wanted] = [JSON.stringify(rest), JSON.stringify(layout)];
      return `parsing time ${JSON.stringify(text)} as "${LAYOUT}": cannot parse ${found} as ${wanted}`;
    }
    rest = rest.slice(match[0].length);
  }
  return undefined;
}
