/** Lists with keys where two items have the same key: a create would be accepted, and each change refused. */
import { describe, expect, test } from 'vitest';
import type { Desired } from '../../../operator/controller/reconciler.ts';
import { configMaps } from '../../../operator/model/builtin.ts';
import {
  cronJobs,
  deployments,
  endpointSlices,
  pods,
  services,
} from '../../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { apiVersionOf, type Resource } from '../../../operator/model/resource.ts';
import { startFamily } from '../../support/owner-and-children.ts';

type Case = readonly [path: string, key: string, resource: Resource, child: object];

const container = { name: 'a', image: 'a' };

const deployment = (spec: object): object => ({
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: { metadata: { labels: { app: 'a' } }, spec: { containers: [container], ...spec } },
  },
});

const REPEATED: readonly Case[] = [
  [
    'spec.jobTemplate.spec.template.spec.initContainers[1].env[2]',
    'name "MODE"',
    cronJobs as never,
    {
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: {
            template: {
              spec: {
                restartPolicy: 'Never',
                containers: [container],
                initContainers: [
                  { ...container, name: 'b' },
                  {
                    ...container,
                    name: 'c',
                    env: [
                      { name: 'MODE', value: '1' },
                      { name: 'mode', value: '2' },
                      { name: 'MODE', value: '1' },
                    ],
                  },
                ],
              },
            },
          },
        },
      },
    },
  ],
  [
    'spec.ports[1]',
    'port 53 and protocol "TCP"',
    services as never,
    {
      spec: {
        ports: [
          { name: 'a', port: 53, protocol: 'TCP' },
          { name: 'b', port: 53 },
        ],
      },
    },
  ],
  [
    'spec.template.spec.imagePullSecrets[1]',
    'name "registry"',
    deployments as never,
    deployment({ imagePullSecrets: [{ name: 'registry' }, { name: 'registry' }] }),
  ],
  [
    'spec.template.spec.containers[0].ports[2]',
    'containerPort 80 and protocol "UDP"',
    deployments as never,
    deployment({
      containers: [
        {
          ...container,
          ports: [
            { containerPort: 80 },
            { containerPort: 80, protocol: 'UDP' },
            { name: 'again', containerPort: 80, protocol: 'UDP' },
          ],
        },
      ],
    }),
  ],
  [
    'endpoints[1].addresses[1]',
    'value "10.0.0.2"',
    endpointSlices as never,
    {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.2'] }, { addresses: ['10.0.0.2', '10.0.0.2'] }],
      ports: [],
    },
  ],
  ['metadata.finalizers[1]', 'value "example.dev/a"', configMaps as never, {}],
];

const childOf = (fields: object, path: string): Desired<KubernetesObject> => {
  const finalizers = ['example.dev/a', 'example.dev/a'];
  const more = path.startsWith('metadata.finalizers') ? { finalizers } : {};
  return { ...fields, metadata: { name: 'a', ...more } } as Desired<KubernetesObject>;
};

describe('[child 3] children with a list in which two items have the same key', () => {
  test.each(
    REPEATED,
  )('a child with a duplicate key at %s is not created', async (path, key, resource, fields) => {
    const family = await startFamily();

    const applying = family.apply(resource, childOf(fields, path));

    await expect(applying).rejects.toMatchObject({
      code: 'USER_CODE',
      layer: 'user-code',
      message: expect.stringContaining(`${path} of the ${resource.kind} `),
      context: { path },
    });
    await expect(applying).rejects.toThrow(`has the same ${key} as `);
    expect(family.writes()).toEqual([]);
  });

  // The API server refuses such a Service at once.
  test.each(
    REPEATED.filter(([path]) => path !== 'spec.ports[1]'),
  )('the API server creates a child with a duplicate key at %s, but refuses to change it later', async (path, _, resource, fields) => {
    const { client, namespace } = await startFamily();
    const { metadata, ...rest } = childOf(fields, path);
    const { kind } = resource;
    const object = {
      ...rest,
      apiVersion: apiVersionOf(resource),
      kind,
      metadata: { ...metadata, namespace },
    } as KubernetesObject;

    const { metadata: created } = await client.create(resource, object);

    const applying = client.applyExisting(resource, {
      ...object,
      metadata: { ...object.metadata, uid: created.uid },
    } as never);
    await expect(applying).rejects.toThrow('duplicate entries for key');
  });

  test('an existing child is not changed if the desired child has the same key twice', async () => {
    const family = await startFamily();
    const of = (env: readonly object[]) =>
      childOf(deployment({ containers: [{ ...container, env }] }), '');
    const before = await family.apply(deployments as never, of([{ name: 'A', value: '1' }]));
    const count = family.writes().length;

    const repeated = of([
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ]);

    await expect(family.apply(deployments as never, repeated)).rejects.toThrow(
      'spec.template.spec.containers[0].env[1] of the Deployment',
    );
    const live = await family.env.get('apps/v1', 'Deployment', family.namespace, 'a');
    expect(live?.metadata.resourceVersion).toBe(
      (before as KubernetesObject).metadata.resourceVersion,
    );
    expect(family.writes()).toHaveLength(count);
  });
});

test('[child 3] the same port for two protocols, or a variable in two containers, is accepted', async () => {
  const family = await startFamily();
  const ports = [
    { name: 'tcp', port: 53 },
    { name: 'udp', port: 53, protocol: 'UDP' },
  ];
  const env = [{ name: 'A', value: '1' }];
  const pod = {
    spec: {
      containers: [
        { ...container, env },
        { ...container, name: 'b', env },
      ],
    },
  };

  await family.apply(services as never, childOf({ spec: { ports } }, ''));
  await family.apply(pods as never, childOf(pod, ''));
  await family.apply(services as never, childOf({ spec: { ports: ports.toReversed() } }, ''));

  const live = await family.env.get<KubernetesObject & { spec: { ports: object[] } }>(
    'v1',
    'Service',
    family.namespace,
    'a',
  );
  expect(live?.spec.ports).toHaveLength(2);
});
