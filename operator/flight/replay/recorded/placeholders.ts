import type { RecordedRun } from './recorded-run.ts';

/**
 * True when the record contains placeholders of secret values. Digests that the operator computed from these
 * values differ from digests of the placeholders.
 */
export function hasPlaceholders({ header, exchanges }: RecordedRun): boolean {
  if (header.sources.some(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Secret'))
    return true;
  for (const { request } of exchanges.values())
    if (/\/secrets(?:[/?]|$)/.test(request.path)) return true;
  return false;
}
