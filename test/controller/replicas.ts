import type { Consistency, Controller } from '../../operator/controller/controller.ts';
import { controller } from '../../operator/controller/controller.ts';
import { enqueueMapped } from '../../operator/controller/mapping.ts';
import { source } from '../../operator/controller/source.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';

export interface ReplicasOptions {
  /** Its objects are the parents. */
  readonly parents: Resource;
  readonly children: Resource;
  readonly consistency: Consistency;
  readonly replicas: (parent: KubernetesObject) => number;
  /** A child without a name. */
  readonly child: (parent: KubernetesObject) => KubernetesObject;
}

/** As many children as a parent wants, which the server names; what is missing is told by the cache. */
export function replicasController(options: ReplicasOptions): Controller {
  const { parents, consistency, replicas, child } = options;
  const children = source(options.children, { labelSelector: 'app=web' });
  const parentOf = ({ metadata: { namespace } }: KubernetesObject) => [
    { namespace, name: 'parent' },
  ];
  return controller({
    name: 'replicas',
    for: parents,
    watches: [enqueueMapped(children, parentOf)],
    permissions: [{ resource: children.resource, verbs: ['create', 'delete'] }],
    consistency,
    async reconcile(parent, { client, store }) {
      const known = store(children).list({ namespace: parent.metadata.namespace ?? '' });
      for (let count = known.length; count < replicas(parent); count++) {
        await client.create(children.resource, child(parent));
      }
      for (const { metadata } of known.slice(replicas(parent))) {
        const { namespace, name, uid = '' } = metadata;
        const target = { name, ...(namespace !== undefined && { namespace }) };
        await client.delete(children.resource, target, { preconditions: { uid } });
      }
    },
  });
}
