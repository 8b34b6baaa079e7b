import { cannotBeHandled } from '../../failures/request-failures.ts';
import type { ServedResource } from '../../registry/served-resource.ts';

/**
 * How findings are reported: not at all (`Ignore`), each as a warning (`Warn`), or all as one error
 * (`Strict`).
 */
export interface Strictness {
  readonly fieldValidation: string;
  readonly warn: (text: string) => void;
}

/** The message of the error, with all findings. */
export function strictDecodingError(findings: readonly string[]): string {
  return `strict decoding error: ${findings.join(', ')}`;
}

/**
 * Warns about unknown and duplicate fields, or refuses them, as `fieldValidation` demands.
 *
 * @throws ApiError 400 for unknown and duplicate fields when `fieldValidation` is `Strict`.
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
