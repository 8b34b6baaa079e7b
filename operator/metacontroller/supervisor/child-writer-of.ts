import type { ChildWriter } from '../../controller/children/child-writer.ts';
import { dynamicApplyWriter } from '../../controller/children/dynamic-apply-writer.ts';
import { serverSideApplyWriter } from '../../controller/children/server-side-apply-writer.ts';
import type { MetacontrollerOptions } from './options.ts';

/** How children are written. */
export function childWriterOf({ applyStrategy, fieldManager }: MetacontrollerOptions): ChildWriter {
  return applyStrategy === 'dynamic-apply'
    ? dynamicApplyWriter()
    : serverSideApplyWriter({ fieldManager, force: true });
}
