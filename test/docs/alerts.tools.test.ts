/**
 * The overlay of docs/guides/operate/alerts.md, rendered by kustomize.
 *
 * @module-tag kubectl
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import { operatorModel } from '../../operator/generate/manifests/operator-model.ts';
import { render } from '../manifests/support/rendered.ts';
import { inRepository, options, SITE, written } from '../manifests/support/trees.ts';

const page = readFileSync(inRepository('docs/guides/operate/alerts.md'), 'utf8');

test('the overlay in alerts.md renders the PodMonitor, and the same alerts and dashboard as the model', async () => {
  const [, overlay = ''] = /```yaml\n# manifests\/(my-cluster\/[\s\S]*?)```/.exec(page) ?? [];
  const [path = '', ...lines] = overlay.split('\n');
  const folder = await written([
    ...operatorManifests([SITE], options()),
    { path, text: lines.join('\n') },
  ]);

  const objects = await render(join(folder, 'my-cluster'));

  const { monitoring } = operatorModel([SITE], options({ namespace: 'demo' }));
  const { rules, dashboard } = monitoring;
  const found = (kind: string, name: string): object | undefined =>
    objects.find((each) => each.kind === kind && each.metadata.name === name);
  expect(found('PodMonitor', options().name)).toBeDefined();
  expect(found('PrometheusRule', rules.metadata.name)).toEqual(rules);
  expect(found('ConfigMap', dashboard.metadata.name)).toEqual(dashboard);
});
