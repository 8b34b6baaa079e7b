import type { LabelSelector } from 'chancery';
import {
  ConfigurationError,
  matchesSelector,
  type Selector,
  selectorFromObject,
} from 'chancery/internal-objects';
import type { StoredObject } from './stored-object.ts';

/**
 * The requirements of the selector of a stored object. Undefined for a selector that is not valid: an object of a
 * restored snapshot can have one, and must not stop those that look at its neighbours.
 */
export function storedSelector(selector: LabelSelector): Selector | undefined {
  try {
    return selectorFromObject(selector);
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

/** True when the selector of a stored object selects another; one that is not valid selects none. */
export function isSelected(selector: LabelSelector, { metadata }: StoredObject): boolean {
  const requirements = storedSelector(selector);
  return requirements !== undefined && matchesSelector(requirements, metadata.labels);
}
