/**
 * What manifests promise about the Pod, read from what the real `kubectl kustomize` renders.
 *
 * @module-tag kubectl
 */
import { describe, expect, test } from 'vitest';
import { lint } from '../../operator/generate/lint/lint.ts';
import { OVERLAYS } from './support/overlays.ts';
import {
  type Container,
  containerNamed,
  type DeploymentObject,
  only,
  podSpec,
  render,
} from './support/rendered.ts';

const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const SOCKET_FOLDER = '/run/ambassador';

interface Named {
  readonly name: string;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

describe.each(OVERLAYS)('$overlay', async ({ overlay }) => {
  const objects = await render(overlay);
  const { replicas, strategy } = (only(objects, 'Deployment') as DeploymentObject).spec;
  const spec = podSpec(objects);
  const [proxy, operator] = [containerNamed(spec, 'proxy'), containerNamed(spec, 'operator')];
  const gate = spec.initContainers?.find(({ name }) => name === 'gate');
  const ours = [proxy, operator, ...(gate === undefined ? [] : [gate])];
  const isSidecar = spec.initContainers?.includes(proxy) ?? false;
  const usesSocket = (proxy.args ?? []).some((arg) => arg.startsWith('--unix-socket='));
  const isTelling = (proxy.args ?? []).some((arg) => arg.startsWith('--v='));
  const rules = objects.flatMap((object) =>
    'rules' in object ? (object.rules as readonly Rule[]) : [],
  );

  test('lint reports only images without a digest, and temporary log settings', () => {
    const errors = lint(objects).filter(({ level }) => level === 'error');
    const warnings = lint(objects).map(({ rule }) => rule);

    expect(errors).toEqual([]);
    expect(new Set(warnings)).toEqual(
      new Set(['fixed-images', ...(isTelling ? ['proxy-log-level'] : [])]),
    );
  });

  test('[security 6] the Pod has only ambassadors and the operator, and the operator starts last', () => {
    const names = (containers: readonly Container[] = []) => containers.map(({ name }) => name);

    expect([...names(spec.initContainers), ...names(spec.containers)]).toEqual([
      'proxy',
      ...(gate === undefined ? [] : ['gate']),
      'operator',
    ]);
    if (gate !== undefined) expect(names(spec.containers)).toEqual(['operator']);
    expect(proxy.restartPolicy).toBe(isSidecar ? 'Always' : undefined);
    expect(gate?.restartPolicy ?? 'Always').toBe('Always');
  });

  test('no token is mounted automatically', () => {
    expect(only(objects, 'ServiceAccount')).toMatchObject({ automountServiceAccountToken: false });
    expect(spec).toMatchObject({ automountServiceAccountToken: false });
  });

  test('[security 1] [security 3] only the ambassador mounts a token, which expires after an hour', () => {
    const withToken = (spec.volumes ?? []).filter(({ projected }) =>
      projected?.sources.some(({ serviceAccountToken }) => serviceAccountToken),
    );
    const tokens = withToken.flatMap(({ projected }) =>
      (projected?.sources ?? []).flatMap((source) => source.serviceAccountToken ?? []),
    );

    expect(tokens).toEqual([{ path: 'token', expirationSeconds: 3600 }]);
    expect(mounts(proxy)).toEqual([
      ...(usesSocket ? [{ name: 'ambassador', mountPath: SOCKET_FOLDER }] : []),
      { name: withToken[0]?.name, mountPath: TOKEN_FOLDER, readOnly: true },
    ]);
    expect(mounts(operator)).toEqual(
      usesSocket ? [{ name: 'ambassador', mountPath: SOCKET_FOLDER, readOnly: true }] : [],
    );
    const others = (gate?.volumeMounts ?? []).map(({ name }) => name);
    expect(spec.volumes).toHaveLength((usesSocket ? 2 : 1) + others.length);
    expect(others).not.toContain(withToken[0]?.name);
  });

  test('[admission 12] only the gate mounts the key of the webhooks', () => {
    const ofKey = (spec.volumes ?? []).filter(({ secret }) => secret !== undefined);

    expect(ofKey.map(({ name }) => name)).toEqual(gate === undefined ? [] : ['gate-tls']);
    for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
      const mounted = mounts(container).filter(({ name }) =>
        ofKey.some((key) => key.name === name),
      );
      expect(mounted).toEqual(
        container === gate ? [{ name: 'gate-tls', mountPath: '/tls', readOnly: true }] : [],
      );
    }
  });

  test('[security 4] no container gets a credential or the address of another API server', () => {
    const texts = JSON.stringify(ours);

    expect(texts).not.toMatch(
      /--token|--kubeconfig|--as\b|--username|KUBECONFIG|secretKeyRef|envFrom/,
    );
  });

  test('every container meets the restricted Pod Security Standard', () => {
    expect(spec.securityContext).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const { securityContext } of ours) {
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

  test('[security 5] containers share neither processes nor files, and have the same user only if they use a socket', () => {
    const users = [65531, usesSocket ? 65531 : 65532, 65530];

    for (const [at, { securityContext }] of ours.entries()) {
      expect(securityContext).toMatchObject({
        ...{ runAsUser: users[at], runAsGroup: users[at] },
        readOnlyRootFilesystem: true,
      });
    }
    expect(spec).toMatchObject({ shareProcessNamespace: false, enableServiceLinks: false });
  });

  test('the ambassador is probed only by exec, publishes no port and keeps its entry point', () => {
    const probes = Object.entries(proxy).filter(([field]) => field.endsWith('Probe'));

    expect(probes.map(([field]) => field)).toContain('startupProbe');
    for (const [, probe] of probes) {
      expect(probe).toMatchObject({ exec: { command: expect.any(Array) } });
      expect(probe).not.toHaveProperty('httpGet');
      expect(probe).not.toHaveProperty('tcpSocket');
    }
    expect(proxy.ports).toBeUndefined();
    expect(proxy.command).toBeUndefined();
  });

  test("arguments set the filter and the components' settings, and the kubelet fills in only the namespace", () => {
    const args = proxy.args ?? [];

    const flags = args.map((arg) => arg.split('=', 1)[0]);
    expect(flags.slice(0, 3)).toEqual(['--accept-paths', '--reject-paths', '--reject-methods']);
    expect(flags.slice(3).filter((flag) => !['--unix-socket', '--v'].includes(flag ?? ''))).toEqual(
      [],
    );
    const references = args.flatMap((arg) => arg.match(/\$[$({][^)}]*[)}]?/g) ?? []);
    expect([...new Set(references)]).toEqual(['$(POD_NAMESPACE)']);
    expect(proxy.env?.map(({ name }) => name)).toContain('POD_NAMESPACE');
  });

  test('no pattern of the filter is empty, unanchored, or broken by a comma', () => {
    const [accept = '', reject = '', methods = ''] = (proxy.args ?? []).map((arg) =>
      arg.slice(arg.indexOf('=') + 1),
    );

    expect(accept.split(',').filter((element) => !/^\^\/[^{}]+[^{}\\]\$$/.test(element))).toEqual(
      [],
    );
    expect(
      [reject, methods].flatMap((list) => list.split(',')).filter((one) => one === ''),
    ).toEqual([]);
    expect(accept.split(',').length).toBeGreaterThan(5);
  });

  test('an operator with an open filter or a readable token does not start', () => {
    expect(value(operator, 'CHANCERY_SELF_TEST')).toBe('require');
    expect(JSON.stringify(operator)).not.toContain('insecure');
  });

  test('[P-18] the ambassador runs until a stopping operator has finished', () => {
    const budget = Number(value(operator, 'CHANCERY_SHUTDOWN_TIMEOUT'));
    const lifecycle = proxy.lifecycle as
      | { readonly preStop: { readonly sleep: { seconds: number } } }
      | undefined;

    expect(budget).toBe(25);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(budget);
    // A native sidecar is told to stop when the operator is gone; a plain container at once.
    expect(lifecycle?.preStop.sleep.seconds).toBe(isSidecar ? undefined : budget);
  });

  test('CW11 only one operator works at a time, however many Pods run', () => {
    expect(value(operator, 'CHANCERY_LEADER_ELECTION')).toBe('true');
    expect(replicas).toBeLessThanOrEqual(2);
    expect(strategy).toEqual({
      type: 'RollingUpdate',
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
  });

  test('[security 19] every container has resource requests and a memory limit', () => {
    for (const { resources } of ours) {
      expect(resources).toMatchObject({
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    }
  });

  test('CW11 roles contain no wildcard, and no permission that allows escalation', () => {
    expect(JSON.stringify(rules)).not.toMatch(
      /\*|secrets|impersonate|escalate|bind|serviceaccounts|pods\/exec/,
    );
  });

  test('CW11 roles are limited to the namespace unless the operator watches all namespaces', () => {
    const watchesAll = value(operator, 'WATCH_NAMESPACE') === '*';

    const kinds = objects.map(({ kind }) => kind).filter((kind) => /^Cluster/.test(kind));

    expect(kinds).toEqual(watchesAll ? ['ClusterRole', 'ClusterRoleBinding'] : []);
  });

  test('every role is bound only to the account of the Pod', () => {
    const account = only(objects, 'ServiceAccount').metadata;
    const bindings = objects.filter(({ kind }) => kind.endsWith('RoleBinding')) as unknown as {
      readonly roleRef: Named;
      readonly subjects: readonly Named[];
    }[];
    const roles = objects.filter(({ kind }) => kind.endsWith('Role'));

    expect(spec.serviceAccountName).toBe(account.name);
    expect(bindings.map(({ roleRef }) => roleRef.name).toSorted()).toEqual(
      roles.map(({ metadata }) => metadata.name).toSorted(),
    );
    for (const { subjects } of bindings) {
      expect(subjects).toEqual([
        { kind: 'ServiceAccount', name: account.name, namespace: account.namespace },
      ]);
    }
  });

  test('the operator may read and renew only one Lease, which is the Lease that it uses', () => {
    const ofLeases = rules.filter(({ resources }) => resources.includes('leases'));

    const lease = value(operator, 'CHANCERY_LEASE_NAME');
    expect(ofLeases.map(({ verbs, resourceNames }) => ({ verbs, resourceNames }))).toEqual([
      { verbs: ['create'], resourceNames: undefined },
      { verbs: ['get', 'update'], resourceNames: [lease] },
    ]);
    expect(proxy.args?.[0]).toContain(`leases(/${lease})?$`);
  });
});

test('CM11 the role of config-restart has plural resource names', async () => {
  const objects = await render('manifests/overlays/namespaced');

  const rules = objects.flatMap((object) =>
    'rules' in object ? (object.rules as readonly Rule[]) : [],
  );
  const monitors = rules.find(({ resources }) => resources.includes('configmonitors'));
  expect(monitors?.verbs).toEqual(expect.arrayContaining(['get', 'list', 'watch']));
});

/** The literal value of a variable. */
function value(container: Container, name: string): string | undefined {
  return container.env?.find((variable) => variable.name === name)?.value;
}

function mounts({ volumeMounts = [] }: Container): NonNullable<Container['volumeMounts']> {
  return volumeMounts.toSorted((a, b) => (a.mountPath < b.mountPath ? -1 : 1));
}
