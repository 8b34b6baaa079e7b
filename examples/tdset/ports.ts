import { type Deployment, deployments, type ReconcileContext } from 'chancery';
import { dnsLabel } from './children.ts';
import type { TDSet } from './resource.ts';

/**
 * Replaces the ports of the container, where they differ, and its image with them, so that there is one
 * roll-out. An apply would not do: ports are told apart by their numbers, so that one that another manager
 * has stated as well, such as the original operator, would stay beside the new one, under the same name.
 */
export async function replacePorts(
  { metadata, spec: { container } }: TDSet,
  live: Deployment,
  { client }: Pick<ReconcileContext, 'client'>,
): Promise<void> {
  const containers = live.spec.template.spec?.containers ?? [];
  const at = containers.findIndex(({ name }) => name === dnsLabel(metadata.name));
  const ports = containers[at]?.ports ?? [];
  if (at < 0 || !ports.some(({ containerPort }) => containerPort !== container.port)) return;
  const path = `/spec/template/spec/containers/${at}`;
  const wanted = [{ name: 'tdset', containerPort: container.port, protocol: 'TCP' }];
  await client.patch(deployments, live.metadata, {
    type: 'json',
    body: [
      { op: 'test', path: '/metadata/uid', value: live.metadata.uid },
      { op: 'test', path: `${path}/name`, value: containers[at]?.name },
      { op: 'replace', path: `${path}/ports`, value: wanted },
      { op: 'replace', path: `${path}/image`, value: container.image },
    ],
  });
}
