/**
 * The components combine: every combination, on the real `kubectl kustomize`.
 *
 * @module-tag kubectl
 */
import { describe, expect, test } from 'vitest';
import { lint } from '../../operator/generate/lint/lint.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { KUBECTLS } from '../proxy/support/kubectls.ts';
import {
  COMBINATIONS,
  type Combination,
  EXTRAS,
  renderCombinations,
} from './support/combinations.ts';
import {
  type Container,
  containerNamed,
  type DeploymentObject,
  only,
  type PodSpec,
} from './support/rendered.ts';

/** Kustomize's time grows faster than what it renders. */
const AT_ONCE = 16;

const batches = Array.from({ length: COMBINATIONS.length / AT_ONCE }, (_, at) =>
  COMBINATIONS.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
);

describe.each(
  batches.map((combinations, at) => ({ combinations, batch: at + 1 })),
)('combinations, part $batch', ({ combinations }) => {
  test('in each combination of components the rendered objects have what every component should add', async () => {
    const rendered = await renderCombinations(combinations);

    for (const [combination, objects] of rendered) {
      expect({ combination, ...facts(objects) }).toEqual({
        combination,
        ...promised(combination),
      });
    }
  });
});

test('in combinations of components lint finds only placeholders and temporary settings', async () => {
  const samples = COMBINATIONS.filter(({ length }) => length === 2 || length === EXTRAS.length + 2);

  const rendered = await renderCombinations(samples);

  for (const [combination, objects] of rendered) {
    const rules = lint(objects).map(({ rule }) => rule);
    expect({ combination, rules }).toEqual({
      combination,
      rules: [
        ...(combination.includes('debug') ? ['proxy-log-level'] : []),
        ...(combination.includes('network-policy') ? ['network-policy-filled'] : []),
      ],
    });
  }
});

describe('with every kubectl', () => {
  const samples: readonly Combination[] = [
    ['namespaced'],
    ['cluster-scoped', 'native-sidecar'],
    ['namespaced', 'debug', 'high-availability', 'network-policy', 'prometheus', 'unix-socket'],
    ['cluster-scoped', 'unix-socket', 'high-availability', 'network-policy', 'native-sidecar'],
  ];
  let newest: Promise<ReadonlyMap<Combination, unknown>> | undefined;

  test.each(
    KUBECTLS,
  )('kustomize in kubectl $name renders the same as kustomize in the newest kubectl', async ({
    path,
  }) => {
    newest ??= renderCombinations(samples);

    const rendered = await renderCombinations(samples, path);

    expect([...rendered.values()]).toEqual([...(await newest).values()]);
  });
});

test('extras have the same effect in any order', async () => {
  const extras = ['unix-socket', 'prometheus', 'network-policy', 'high-availability', 'debug'];
  const forth = ['namespaced', ...extras, 'native-sidecar'];
  const back = ['namespaced', ...extras.toReversed(), 'native-sidecar'];

  const rendered = await renderCombinations([forth, back]);

  expect(facts(rendered.get(back) ?? [])).toEqual(facts(rendered.get(forth) ?? []));
});

const SOCKET = '/run/ambassador/api.sock';

/** What is different from one combination to another. */
function facts(objects: readonly KubernetesObject[]): object {
  const { metadata, spec } = only(objects, 'Deployment') as DeploymentObject;
  const { name, namespace } = metadata;
  const pod = spec.template.spec;
  const [proxy, operator] = [containerNamed(pod, 'proxy'), containerNamed(pod, 'operator')];
  const added = ['NetworkPolicy', 'PodDisruptionBudget', 'PodMonitor'].filter((kind) =>
    objects.some((object) => object.kind === kind),
  );
  const flags = (proxy.args ?? []).map((arg) => arg.split('=', 1)[0]);
  return {
    containers: names(pod.containers),
    sidecars: names(pod.initContainers ?? []),
    restartPolicy: proxy.restartPolicy,
    isHeldBack: proxy.lifecycle !== undefined,
    filter: flags.slice(0, 3),
    arguments: (proxy.args ?? []).slice(3).toSorted(),
    settings: ['CHANCERY_API_URL', 'CHANCERY_LOG_LEVEL'].map((name) => value(operator, name)),
    watches: value(operator, 'WATCH_NAMESPACE'),
    users: [proxy, operator].map(({ securityContext }) => securityContext?.runAsUser),
    probes: Object.keys(proxy)
      .filter((field) => field.endsWith('Probe'))
      .toSorted(),
    ports: ((operator.ports ?? []) as readonly { readonly name: string }[])
      .map((port) => port.name)
      .toSorted(),
    replicas: spec.replicas,
    roles: objects
      .filter(({ kind }) => kind.endsWith('Role'))
      .map(({ kind }) => kind)
      .toSorted(),
    added: added.filter((kind) => isNamedAfter({ name, namespace }, objects, kind)),
  };
}

function value(container: Container, name: string): string | undefined {
  return container.env?.find((variable) => variable.name === name)?.value;
}

function names(containers: PodSpec['containers']): readonly string[] {
  return containers.map(({ name }) => name);
}

/** It has the name and the namespace of the Deployment, and selects what that selects. */
function isNamedAfter(
  deployment: object,
  objects: readonly KubernetesObject[],
  kind: string,
): boolean {
  const { metadata, spec } = only(objects, kind) as KubernetesObject & {
    readonly spec: Readonly<Record<string, unknown>>;
  };
  const { name, namespace } = metadata;
  const selected = JSON.stringify(spec.selector ?? spec.podSelector);
  const selector = { matchLabels: { 'app.kubernetes.io/name': 'config-restart' } };
  return (
    JSON.stringify({ name, namespace }) === JSON.stringify(deployment) &&
    selected === JSON.stringify(selector)
  );
}

function promised(combination: Combination): object {
  const has = (component: string): boolean => combination.includes(component);
  const isSidecar = has('native-sidecar');
  const isCluster = has('cluster-scoped');
  return {
    containers: isSidecar ? ['operator'] : ['proxy', 'operator'],
    sidecars: isSidecar ? ['proxy'] : [],
    restartPolicy: isSidecar ? 'Always' : undefined,
    isHeldBack: !isSidecar,
    filter: ['--accept-paths', '--reject-paths', '--reject-methods'],
    arguments: [
      ...(has('unix-socket') ? [`--unix-socket=${SOCKET}`] : []),
      ...(has('debug') ? ['--v=6'] : []),
    ],
    settings: [
      has('unix-socket') ? `unix:${SOCKET}` : undefined,
      has('debug') ? 'debug' : undefined,
    ],
    watches: isCluster ? '*' : undefined,
    users: [65531, has('unix-socket') ? 65531 : 65532],
    probes: has('unix-socket') ? ['startupProbe'] : ['livenessProbe', 'startupProbe'],
    ports: ['health', ...(has('prometheus') ? ['metrics'] : [])],
    replicas: has('high-availability') ? 2 : 1,
    roles: isCluster ? ['ClusterRole', 'Role'] : ['Role', 'Role'],
    added: [
      ...(has('network-policy') ? ['NetworkPolicy'] : []),
      ...(has('high-availability') ? ['PodDisruptionBudget'] : []),
      ...(has('prometheus') ? ['PodMonitor'] : []),
    ],
  };
}
