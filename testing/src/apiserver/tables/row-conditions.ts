import { type Json, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';

const MESSAGES: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
};

/** What a row says beside its cells: of a Pod, that it is over. */
export function rowConditions(object: StoredObject): readonly Json[] {
  if (object.kind !== 'Pod') return [];
  const reason = String(valueAt(object, ['status', 'phase']));
  const message = MESSAGES[reason];
  if (message === undefined) return [];
  return [{ type: 'Completed', status: 'True', reason, message }];
}
