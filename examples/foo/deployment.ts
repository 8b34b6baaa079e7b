import {
  controllerOf,
  type Deployment,
  type Desired,
  deployments,
  isNotFound,
  type ReconcileContext,
} from 'chancery';
import type { Foo } from './definition.ts';

/** A version that does not move: the same Foo makes the same Pods tomorrow. */
const IMAGE = 'nginx:1.29';

/** What a Foo makes, under the labels that the original gives it. */
export function deploymentFor({ metadata, spec }: Foo, name: string): Desired<Deployment> {
  const labels = { app: 'nginx', controller: metadata.name };
  return {
    metadata: { name },
    spec: {
      ...(spec.replicas !== undefined && { replicas: spec.replicas }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'nginx', image: IMAGE }] } },
    },
  };
}

/** Every Deployment that this very Foo controls, whatever it is called. */
export function ownDeployments(
  { metadata: { namespace = '', uid } }: Foo,
  { store }: ReconcileContext<Foo>,
): readonly Deployment[] {
  const beside = store(deployments).list({ namespace });
  return beside.filter((deployment) => controllerOf(deployment)?.uid === uid);
}

/** Deletes what the Foo has made under other names. True when there was something. */
export async function deleteOthers(
  foo: Foo,
  name: string,
  context: ReconcileContext<Foo>,
): Promise<boolean> {
  const others = ownDeployments(foo, context).filter(
    ({ metadata }) => metadata.name !== name && metadata.deletionTimestamp === undefined,
  );
  for (const { metadata } of others) {
    const { uid } = metadata;
    try {
      const options = { ...(uid !== undefined && { preconditions: { uid } }) };
      await context.client.delete(deployments, metadata, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return others.length > 0;
}
