import type { StoredObject } from '../cluster-access.ts';
import { cannotBeHandled } from '../failures.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { WriteOptions } from '../request/options.ts';

/**
 * Warns of unknown fields, or refuses them, as `fieldValidation` says.
 *
 * @throws ApiError 400 when it says `Strict`.
 */
export function reportUnknownFields(
  served: ServedResource,
  body: StoredObject,
  { fieldValidation, warn }: WriteOptions,
): void {
  if (fieldValidation === 'Ignore') return;
  const texts = served.strategy.unknownFields(body).map((field) => `unknown field "${field}"`);
  if (texts.length === 0) return;
  if (fieldValidation === 'Strict') {
    const found = { kind: served.kind, version: served.version };
    throw cannotBeHandled(served, found, `strict decoding error: ${texts.join(', ')}`);
  }
  for (const text of texts) warn(text);
}
