import type { Controller } from '../../controller/controller.ts';
import type { Source } from '../../controller/source.ts';
import type { Runnable } from '../../manager/runnable.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';

/** What a controller declares, as one line of JSON: its sources, its permissions, how it works. */
export function declarationLine(controller: Controller): string {
  const { name, owns, watches, reads, permissions, finalizer } = controller;
  return JSON.stringify({
    controller: name,
    for: describeSource(controller.for),
    owns: owns.map(({ source }) => describeSource(source)),
    watches: watches.map(({ source }) => describeSource(source)),
    reads: reads.map(describeSource),
    permissions: permissions.map(({ resource, subresource, verbs }) => ({
      ...describeResource(resource),
      subresource,
      verbs,
    })),
    finalizer: finalizer?.name,
    maxConcurrentReconciles: controller.maxConcurrentReconciles,
    needsLeaderElection: controller.needsLeaderElection,
  });
}

/** What a runnable declares, as one line of JSON. */
export function runnableLine({
  name,
  needsLeaderElection = true,
  stopPhase = 'others',
}: Runnable): string {
  return JSON.stringify({ runnable: name, needsLeaderElection, stopPhase });
}

function describeSource({
  resource,
  namespace,
  labelSelector,
  fieldSelector,
  optional,
}: Source): object {
  return {
    ...describeResource(resource),
    namespace,
    labelSelector,
    fieldSelector,
    optional: optional || undefined,
  };
}

function describeResource(resource: Resource): object {
  return { apiVersion: apiVersionOf(resource), plural: resource.plural, kind: resource.kind };
}
