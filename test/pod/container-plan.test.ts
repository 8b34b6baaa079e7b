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

test('variables of the manifest override those of the kubelet and of the image, and may refer to earlier ones', () => {
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

test("`args` replaces the image's CMD, `command` replaces its ENTRYPOINT and CMD, and variables in both are expanded", () => {
  const env = [{ name: 'WHO', value: 'me' }];
  const argv = (spec: Partial<ContainerSpec>): readonly string[] =>
    containerPlan({ ...CONTAINER, env, ...spec }, IMAGE, POD).argv;

  expect(argv({})).toEqual(['/program', 'run', 'default']);
  expect(argv({ args: ['$(WHO)', '$$(WHO)'] })).toEqual(['/program', 'run', 'me', '$(WHO)']);
  expect(argv({ command: ['/other'] })).toEqual(['/other']);
});

test('user, groups and security settings come from the container, then from the Pod, then from the image', () => {
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
  ['an unsupported field', { ...CONTAINER, tty: true } as ContainerSpec, 'tty'],
  [
    'a mount with subPath',
    { ...CONTAINER, volumeMounts: [{ name: 'a', mountPath: '/a', subPath: 'b' } as never] },
    'subPath',
  ],
  ['capabilities that are not dropped', { ...CONTAINER, securityContext: {} }, 'capabilities'],
  [
    'root as the user',
    { ...CONTAINER, securityContext: { ...CONTAINER.securityContext, runAsUser: 0 } },
    'root',
  ],
  [
    'a variable with an unknown field of the Pod',
    { ...CONTAINER, env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'x' } } }] },
    'X',
  ],
])('a container with %s is refused, instead of running without it', (_what, spec, word) => {
  expect(() => containerPlan(spec, IMAGE, POD)).toThrow(word);
});
