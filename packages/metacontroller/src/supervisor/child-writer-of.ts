import { type ChildWriter, dynamicApplyWriter, serverSideApplyWriter } from 'chancery/internal';
import type { MetacontrollerOptions } from './options.ts';

/** How children are written. */
export function childWriterOf({ applyStrategy, fieldManager }: MetacontrollerOptions): ChildWriter {
  return applyStrategy === 'dynamic-apply'
    ? dynamicApplyWriter()
    : serverSideApplyWriter({ fieldManager, force: true });
}
