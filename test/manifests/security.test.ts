/** What manifests/ promise about the Pod, read from what the real `kubectl kustomize` renders. */
import { expect, test } from 'vitest';
import {
  type Container,
  type DeploymentObject,
  only,
  podSpec,
  render,
} from './support/rendered.ts';

const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

const objects = await render('manifests/config-restart');
const spec = podSpec(objects);
const [proxy, operator] = spec.containers as [Container, Container];

test('the ambassador and the operator are the only containers, and the ambassador starts first', () => {
  expect(spec.containers.map(({ name }) => name)).toEqual(['proxy', 'operator']);
  expect(spec.initContainers).toBeUndefined();
});

test('no token is mounted automatically', () => {
  expect(only(objects, 'ServiceAccount')).toMatchObject({ automountServiceAccountToken: false });
  expect(spec).toMatchObject({ automountServiceAccountToken: false });
});

test('a token of an hour is mounted into the ambassador alone', () => {
  const withToken = (spec.volumes ?? []).filter(({ projected }) =>
    projected?.sources.some(({ serviceAccountToken }) => serviceAccountToken),
  );
  const tokens = withToken.flatMap(({ projected }) =>
    (projected?.sources ?? []).flatMap((source) => source.serviceAccountToken ?? []),
  );

  expect(tokens).toEqual([{ path: 'token', expirationSeconds: 3600 }]);
  expect(proxy.volumeMounts).toEqual([
    { name: withToken[0]?.name, mountPath: TOKEN_FOLDER, readOnly: true },
  ]);
  expect(operator.volumeMounts).toBeUndefined();
  expect(spec.volumes).toHaveLength(1);
});

test('no container is given a credential or the address of another API server', () => {
  const texts = JSON.stringify(spec.containers);

  expect(texts).not.toMatch(
    /--token|--kubeconfig|--as\b|--username|KUBECONFIG|secretKeyRef|envFrom/,
  );
});

test('every container meets the restricted Pod Security Standard', () => {
  expect(spec.securityContext).toEqual({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  for (const { securityContext } of spec.containers) {
    expect(securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(Object.keys(securityContext ?? {}).sort()).toEqual([
      'allowPrivilegeEscalation',
      'capabilities',
      'readOnlyRootFilesystem',
      'runAsGroup',
      'runAsUser',
    ]);
  }
  for (const field of ['hostNetwork', 'hostPID', 'hostIPC']) expect(spec[field]).toBeUndefined();
});

test('the containers share nothing: not the user, not the processes, not a file that can change', () => {
  expect(proxy.securityContext).toMatchObject({ runAsUser: 65531, runAsGroup: 65531 });
  expect(operator.securityContext).toMatchObject({ runAsUser: 65532, runAsGroup: 65532 });
  expect(proxy.securityContext?.readOnlyRootFilesystem).toBe(true);
  expect(operator.securityContext?.readOnlyRootFilesystem).toBe(true);
  expect(spec).toMatchObject({ shareProcessNamespace: false, enableServiceLinks: false });
});

test('the ambassador is probed by exec only, publishes no port and keeps its entry point', () => {
  const probes = Object.entries(proxy).filter(([field]) => field.endsWith('Probe'));

  expect(probes.map(([field]) => field).sort()).toEqual(['livenessProbe', 'startupProbe']);
  for (const [, probe] of probes) {
    expect(probe).toMatchObject({ exec: { command: expect.any(Array) } });
    expect(probe).not.toHaveProperty('httpGet');
    expect(probe).not.toHaveProperty('tcpSocket');
  }
  expect(proxy.ports).toBeUndefined();
  expect(proxy.command).toBeUndefined();
});

test('the arguments set the filter and nothing else, and the kubelet fills in only the namespace', () => {
  const args = proxy.args ?? [];

  expect(args.map((arg) => arg.split('=', 1)[0])).toEqual([
    '--accept-paths',
    '--reject-paths',
    '--reject-methods',
  ]);
  const references = args.flatMap((arg) => arg.match(/\$[$({][^)}]*[)}]?/g) ?? []);
  expect([...new Set(references)]).toEqual(['$(POD_NAMESPACE)']);
  expect(proxy.env?.map(({ name }) => name)).toContain('POD_NAMESPACE');
});

test('no element of the filter is empty, open at an end, or broken by a comma', () => {
  const [accept = '', reject = '', methods = ''] = (proxy.args ?? []).map((arg) =>
    arg.slice(arg.indexOf('=') + 1),
  );

  expect(accept.split(',').filter((element) => !/^\^\/[^{}]+[^{}\\]\$$/.test(element))).toEqual([]);
  expect([reject, methods].flatMap((list) => list.split(',')).filter((one) => one === '')).toEqual(
    [],
  );
  expect(accept.split(',').length).toBeGreaterThan(5);
});

test('the ambassador outlives the work of an operator that stops', () => {
  const { preStop } = proxy.lifecycle as {
    readonly preStop: { readonly sleep: { seconds: number } };
  };

  expect(preStop.sleep.seconds).toBeGreaterThanOrEqual(25);
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(preStop.sleep.seconds);
});

test('CW11 there is never more than one operator', () => {
  const { replicas, strategy } = (only(objects, 'Deployment') as DeploymentObject).spec;

  expect(replicas).toBe(1);
  expect(strategy).toEqual({ type: 'Recreate' });
});

test('every container has requests and a limit of memory', () => {
  for (const { resources } of spec.containers) {
    expect(resources).toMatchObject({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
  }
});

test('CW11 roles end at the namespace and name everything that they grant', () => {
  const kinds = objects.map(({ kind }) => kind);
  const granted = JSON.stringify((only(objects, 'Role') as { rules?: unknown }).rules);

  expect(kinds).not.toContain('ClusterRole');
  expect(kinds).not.toContain('ClusterRoleBinding');
  expect(granted).not.toMatch(/\*|secrets|impersonate|escalate|bind|serviceaccounts|pods\/exec/);
});

test('CM11 the role names what is read by its plural, and is bound to the account of the Pod', () => {
  const { rules } = only(objects, 'Role') as unknown as {
    readonly rules: readonly {
      readonly resources: readonly string[];
      readonly verbs: readonly string[];
    }[];
  };
  const { subjects } = only(objects, 'RoleBinding') as unknown as {
    readonly subjects: readonly { readonly kind: string; readonly name: string }[];
  };

  const monitors = rules.find(({ resources }) => resources.includes('configmonitors'));
  expect(monitors?.verbs).toEqual(expect.arrayContaining(['get', 'list', 'watch']));
  expect(subjects).toMatchObject([{ kind: 'ServiceAccount', name: spec.serviceAccountName }]);
});
