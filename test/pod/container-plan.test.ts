/** What the kubelet does with a container's words before anything runs: the Pod test rests on it. */
import { expect, test } from 'vitest';
import {
  type ContainerSpec,
  containerPlan,
  type ImageConfig,
  type PodFacts,
} from './support/container-plan.ts';

const IMAGE: ImageConfig = {
  Entrypoint: ['/program', 'run'],
  Cmd: ['default'],
  Env: ['OF=image', 'BOTH=image', 'WITH=a=b'],
  User: '65531:65531',
  WorkingDir: '/app',
};

const POD: PodFacts = {
  fields: { 'metadata.namespace': 'demo' },
  env: { KUBERNETES_SERVICE_HOST: '192.0.2.1' },
  securityContext: { runAsNonRoot: true, fsGroup: 7 },
  volume: (name) => `/volumes/${name}`,
};

const CONTAINER: ContainerSpec = {
  name: 'one',
  image: 'one:1',
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};

test('the environment is the image’s, then the kubelet’s, then the manifest’s, which may name what is before it', () => {
  const env = [
    { name: 'NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    { name: 'BOTH', value: '$(NAMESPACE) at $(KUBERNETES_SERVICE_HOST), not $(LATER)' },
    { name: 'LATER', value: 'x' },
  ];

  const plan = containerPlan({ ...CONTAINER, env }, IMAGE, POD);

  expect(plan.env).toEqual({
    ...{ OF: 'image', WITH: 'a=b', KUBERNETES_SERVICE_HOST: '192.0.2.1', NAMESPACE: 'demo' },
    ...{ BOTH: 'demo at 192.0.2.1, not $(LATER)', LATER: 'x' },
  });
});

test('args take the place of the image’s CMD, command that of its entry point and CMD, with variables filled in', () => {
  const env = [{ name: 'WHO', value: 'me' }];
  const argv = (spec: Partial<ContainerSpec>): readonly string[] =>
    containerPlan({ ...CONTAINER, env, ...spec }, IMAGE, POD).argv;

  expect(argv({})).toEqual(['/program', 'run', 'default']);
  expect(argv({ args: ['$(WHO)', '$$(WHO)'] })).toEqual(['/program', 'run', 'me', '$(WHO)']);
  expect(argv({ command: ['/other'] })).toEqual(['/other']);
});

test('user, groups and rights are the container’s, then the Pod’s, then the image’s', () => {
  const own = { ...CONTAINER.securityContext, runAsUser: 65_532 };
  const volumeMounts = [{ name: 'data', mountPath: '/data', readOnly: true }];

  const plan = containerPlan({ ...CONTAINER, securityContext: own, volumeMounts }, IMAGE, POD);

  expect(plan).toMatchObject({
    ...{ uid: 65_532, gid: 65_531, groups: [7], noNewPrivileges: true, readOnlyRoot: true },
    ...{
      workingDir: '/app',
      mounts: [{ source: '/volumes/data', target: '/data', readOnly: true }],
    },
  });
});

test.each<[string, ContainerSpec, string]>([
  ['a field that nothing is done about', { ...CONTAINER, tty: true } as ContainerSpec, 'tty'],
  [
    'a mount of a part of a volume',
    { ...CONTAINER, volumeMounts: [{ name: 'a', mountPath: '/a', subPath: 'b' } as never] },
    'subPath',
  ],
  ['capabilities that are kept', { ...CONTAINER, securityContext: {} }, 'capabilities'],
  [
    'root',
    { ...CONTAINER, securityContext: { ...CONTAINER.securityContext, runAsUser: 0 } },
    'root',
  ],
  [
    'a field of the Pod that is not known',
    { ...CONTAINER, env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'x' } } }] },
    'X',
  ],
])('%s is refused, and not run as if it were not there', (_what, spec, word) => {
  expect(() => containerPlan(spec, IMAGE, POD)).toThrow(word);
});
