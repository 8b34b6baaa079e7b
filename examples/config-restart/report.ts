import { resourceName } from 'chancery';
import { DOCUMENT_FRONT_END } from './front-ends/config-map.ts';
import { customResources } from './front-ends/custom-resource.ts';
import type { Memory } from './memory.ts';
import type { Pass, PassResult } from './pass.ts';
import { writeDocumentStatus } from './status-writers/config-map.ts';
import { writeCustomStatus } from './status-writers/custom-resource.ts';

/** Tells every watcher of a ConfigMap, in its status, how things stand. Annotations have none. */
export async function report(pass: Pass, outcome: PassResult, memory: Memory): Promise<void> {
  const found = pass.configMap !== undefined && outcome.phase !== 'missing';
  for (const watcher of pass.watchers) {
    const { uid } = watcher.declaredBy.metadata;
    const facts = { watcher, outcome, found, report: memory.reports.get(uid ?? '') };
    const resource = customResources.find((each) => resourceName(each) === watcher.frontEnd);
    if (resource) await writeCustomStatus(resource, facts, memory, pass.context);
    else if (watcher.frontEnd === DOCUMENT_FRONT_END)
      await writeDocumentStatus(facts, pass.context);
    memory.reports.delete(uid ?? '');
  }
}
