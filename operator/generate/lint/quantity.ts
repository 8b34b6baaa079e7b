const FACTOR: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A sign, digits, and a suffix or an exponent: kubernetes/apimachinery, pkg/api/resource/quantity.go. */
const QUANTITY = /^\+?([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+)|([a-zA-Z]*))$/;

/** The number that a quantity such as `128Mi`, `10m`, `1e9` or `1` stands for; undefined for other text. */
export function quantity(value: unknown): number | undefined {
  const [, digits, exponent = '0', unit = ''] = QUANTITY.exec(String(value ?? '')) ?? [];
  const factor = FACTOR[unit];
  return digits === undefined || factor === undefined
    ? undefined
    : Number(`${digits}e${exponent}`) * factor;
}

/** Bytes of a GOMEMLIMIT: Go writes `96MiB`, and knows no `96M`. */
export function goBytes(value: string): number | undefined {
  const [, digits, unit = ''] = /^([0-9]+)(?:B|([KMGT]i)B)?$/.exec(value) ?? [];
  return digits === undefined ? undefined : Number(digits) * (FACTOR[unit] ?? 1);
}
