import type { LabelSelector, Selector } from 'chancery';
import { ConfigurationError, matchesSelector, selectorFromObject } from 'chancery/internal-objects';
import type { StoredObject } from './stored-object.ts';

/**
 * The requirements of a stored object's selector. Undefined for an invalid selector. An object from a
 * restored snapshot can have an invalid selector, which must not disturb the processing of other objects.
 */
export function storedSelector(selector: LabelSelector): Selector | undefined {
  try {
    return selectorFromObject(selector);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/**
 * True when the selector of a stored object selects another object. An invalid selector selects
 * nothing.
 */
export function isSelected(selector: LabelSelector, { metadata }: StoredObject): boolean {
  const requirements = storedSelector(selector);
  return requirements !== undefined && matchesSelector(requirements, metadata.labels);
}
