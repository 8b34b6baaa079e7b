import { NANOS, parseQuantity } from '../../model/quantity.ts';

/** The number that a quantity such as `128Mi`, `10m`, `1e9` or `1` stands for; undefined for other text and below 0. */
export function quantity(value: unknown): number | undefined {
  const parsed = parseQuantity(String(value ?? ''));
  if ('problem' in parsed || parsed.nanos < 0n) return undefined;
  return Number(parsed.nanos) / Number(NANOS);
}

/** Bytes of a GOMEMLIMIT: Go writes `96MiB`, and knows no `96M`. */
export function goBytes(value: string): number | undefined {
  const [, amount] = /^([0-9]+(?:[KMGT]i)?)B$/.exec(value) ?? /^([0-9]+)$/.exec(value) ?? [];
  return quantity(amount);
}
