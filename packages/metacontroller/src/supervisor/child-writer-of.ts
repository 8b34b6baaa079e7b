import { applyWriter, type ChildWriter } from 'chancery/internal';
import { dynamicApplyWriter } from '../children/dynamic-apply-writer.ts';
import { LAST_APPLIED, UPDATE_MANAGER } from '../children/last-applied.ts';
import type { MetacontrollerOptions } from './options.ts';

/** The writer of children. */
export function childWriterOf({ applyStrategy, fieldManager }: MetacontrollerOptions): ChildWriter {
  return applyStrategy === 'dynamic-apply'
    ? dynamicApplyWriter()
    : serverSideApplyWriter(fieldManager);
}

/**
 * Writes children by server-side apply. If dynamic apply has written a child before, its fields are
 * taken over once, and its annotation is removed.
 *
 * @param fieldManager - the field manager of the writes. Fields that it has written without apply
 * are taken over as well.
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
