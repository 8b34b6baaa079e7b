import type { RecordedRun } from './recorded-run.ts';

/**
 * True when the operator had Secrets. Digests that it made of them differ from digests of the placeholders.
 */
export function hasPlaceholders({ header, exchanges }: RecordedRun): boolean {
  if (header.sources.some(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Secret'))
    return true;
  for (const { request } of exchanges.values())
    if (/\/secrets(?:[/?]|$)/.test(request.path)) return true;
  return false;
}
