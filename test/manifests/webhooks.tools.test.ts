/**
 * What kustomize makes of a tree with webhooks is what the model says, and the lint finds nothing in it.
 *
 * @module-tag kubectl
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lint } from '../../operator/generate/lint/lint.ts';
import { certificatesOperator } from '../../operator/generate/manifests/certificates-operator.ts';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import {
  overlayComponents,
  renderedObjects,
} from '../../operator/generate/manifests/rendered-objects.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { render } from './support/rendered.ts';
import { WEBSITE, written } from './support/trees.ts';
import {
  CLOSED,
  CONTROLLERS,
  configuredIn,
  GATE,
  OF_DEPLOYMENTS,
  OF_NAMESPACES,
  OF_PODS,
  SOURCES,
  webhookModelOf,
} from './support/webhooks.ts';

const ALL = [OF_DEPLOYMENTS, OF_PODS, OF_NAMESPACES, CLOSED];
const { components: _written, ...OPTIONS } = WEBSITE.options;

test.each(
  SOURCES,
)('[admission 12] with $certificates both overlays equal the model, and lint finds no error', {
  timeout: 120_000,
}, async (gate) => {
  const folder = await written(operatorManifests([...CONTROLLERS, ...ALL], { ...OPTIONS, gate }));
  const model = webhookModelOf(ALL, { gate });

  for (const scope of ['namespaced', 'cluster-scoped'] as const) {
    const objects = await render(join(folder, 'overlays', scope));

    const components = overlayComponents(model);
    expect(sorted(objects)).toEqual(sorted(renderedObjects(model, { scope, components })));
    expect(lint(objects).filter(({ level }) => level === 'error')).toEqual([]);
  }
});

test('for guarded metrics, kustomize renders the same PodMonitor and network policy as the model', async () => {
  const guarded = { ...GATE, metricsClientCa: 'scraper' };
  const folder = await written([
    ...operatorManifests(CONTROLLERS, { ...OPTIONS, gate: guarded }),
    {
      path: 'mine/kustomization.yaml',
      text: JSON.stringify({
        resources: ['../overlays/cluster-scoped'],
        components: ['../components/prometheus', '../components/network-policy'],
      }),
    },
  ]);
  const model = webhookModelOf([], { gate: guarded });

  const objects = await render(join(folder, 'mine'));

  const components = [...overlayComponents(model), 'prometheus', 'network-policy'] as const;
  const expected = renderedObjects(model, { scope: 'cluster-scoped', components });
  expect(sorted(objects)).toEqual(sorted(expected));
});

test('the certificates operator has its own manifests, in which lint finds no error', async () => {
  const gate = SOURCES.find(({ certificates }) => certificates === 'chancery');
  const options = { ...OPTIONS, ...(gate !== undefined && { gate }) };
  const folder = await written(operatorManifests([...CONTROLLERS, ...ALL], options));

  const objects = await render(join(folder, 'certificates'));

  expect(sorted(objects)).toEqual(sorted(certificatesOperator(webhookModelOf(ALL, options))));
  expect(lint(objects).filter(({ level }) => level === 'error')).toEqual([]);
});

test('an overlay that prefixes names keeps the webhook configurations connected to the Service', async () => {
  const files = operatorManifests([...CONTROLLERS, ...ALL], OPTIONS);
  const folder = await written([
    ...files,
    {
      path: 'mine/kustomization.yaml',
      text: JSON.stringify({ resources: ['../overlays/cluster-scoped'], namespace: 'other' }),
    },
  ]);

  const objects = await render(join(folder, 'mine'));

  for (const { clientConfig } of configuredIn(objects)) {
    expect(clientConfig.service.namespace).toBe('other');
  }
});

function sorted(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const keyOf = ({ kind, metadata }: KubernetesObject): string =>
    `${kind}/${metadata.namespace}/${metadata.name}`;
  return objects.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}
