const FACTOR: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The number that a quantity such as `128Mi`, `10m` or `1` stands for; undefined for other text. */
export function quantity(value: unknown): number | undefined {
  const [, digits, unit = ''] =
    /^([0-9]+(?:\.[0-9]+)?)([a-zA-Z]*)$/.exec(String(value ?? '')) ?? [];
  const factor = FACTOR[unit];
  return digits === undefined || factor === undefined ? undefined : Number(digits) * factor;
}

/** Bytes of a GOMEMLIMIT: Go writes `96MiB`, and knows no `96M`. */
export function goBytes(value: string): number | undefined {
  const [, digits, unit = ''] = /^([0-9]+)(?:B|([KMGT]i)B)?$/.exec(value) ?? [];
  return digits === undefined ? undefined : Number(digits) * (FACTOR[unit] ?? 1);
}
