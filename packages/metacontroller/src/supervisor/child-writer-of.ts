import { applyWriter, type ChildWriter } from 'chancery/internal';
import { dynamicApplyWriter } from '../children/dynamic-apply-writer.ts';
import { LAST_APPLIED, UPDATE_MANAGER } from '../children/last-applied.ts';
import type { MetacontrollerOptions } from './options.ts';

/** How children are written. */
export function childWriterOf({ applyStrategy, fieldManager }: MetacontrollerOptions): ChildWriter {
  return applyStrategy === 'dynamic-apply'
    ? dynamicApplyWriter()
    : serverSideApplyWriter(fieldManager);
}

/**
 * Writes children by server-side apply. What a merge wrote before is taken over once, and its annotation is removed.
 *
 * @param fieldManager - the name under which fields are owned, also of children that were created by it otherwise.
 */
export function serverSideApplyWriter(fieldManager: string, force: boolean = true): ChildWriter {
  return applyWriter({
    fieldManager,
    force,
    formerManagers: [fieldManager, UPDATE_MANAGER],
    formerAnnotations: [LAST_APPLIED],
    createsByApply: true,
  });
}
