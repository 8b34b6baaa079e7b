import { cannotBeHandled } from '../../failures/request-failures.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

/** Reports findings: `Ignore` not at all, `Warn` as one warning each, `Strict` as an error. */
export interface Strictness {
  readonly fieldValidation: string;
  readonly warn: (text: string) => void;
}

/** The text of the error: all findings in a row. */
export function strictDecodingError(findings: readonly string[]): string {
  return `strict decoding error: ${findings.join(', ')}`;
}

/**
 * Warns of unknown and duplicate fields, or refuses them, as `fieldValidation` says.
 *
 * @throws ApiError 400 when it says `Strict`.
 */
export function reportStrictly(
  expected: Pick<ServedResource, 'group' | 'version' | 'kind'>,
  findings: readonly string[],
  { fieldValidation, warn }: Strictness,
): void {
  if (findings.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') {
    throw cannotBeHandled(expected, expected, strictDecodingError(findings));
  }
  for (const text of new Set(findings)) warn(text);
}
