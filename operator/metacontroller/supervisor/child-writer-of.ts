import type { ChildWriter } from '../../controller/children/child-writer.ts';
import type { MetacontrollerOptions } from './options.ts';

/** How children are written. */
export function childWriterOf({ applyStrategy }: MetacontrollerOptions): ChildWriter {
  throw new Error(`no writer for ${applyStrategy} yet`);
}
