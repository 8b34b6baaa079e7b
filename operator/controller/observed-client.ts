import type { Client, Target } from '../client/client.ts';
import { decorateClient } from '../client/client-decorator.ts';
import { objectKey } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';

/** Names one object of the cluster, for those who compare what was written with what changes. */
export function objectName(resource: Resource, { namespace, name }: Target): string {
  return `${resourceName(resource)} ${objectKey(namespace, name)}`;
}

interface WriteObserver {
  /** The version of an object that is known before it is written; undefined when none is. */
  readonly known: (resource: Resource, target: Target) => string | undefined;
  /** A write was accepted, and has changed something. */
  readonly wrote: (object: string) => void;
}

/**
 * `client`, with its effective writes observed. A write that is answered with the version that was known
 * has changed nothing: the API server does not count those.
 */
export function observedClient(client: Client, { known, wrote }: WriteObserver): Client {
  return decorateClient(client, {
    async write(call, next) {
      const target = 'object' in call ? call.object.metadata : call.target;
      const before = call.verb === 'create' ? undefined : known(call.resource, target);
      const answer = await next(call);
      const isNoOp = before !== undefined && before === answer.metadata.resourceVersion;
      if (call.options.dryRun !== true && !isNoOp)
        wrote(objectName(call.resource, answer.metadata));
      return answer;
    },
    async remove(call, next) {
      await next(call);
      if (call.verb === 'delete') wrote(objectName(call.resource, call.target));
    },
  });
}
