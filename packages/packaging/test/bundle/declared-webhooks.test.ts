/** Under OLM no container but the operator's would have the key, so a bundle has no webhooks. */
import { expect, test } from 'vitest';
import { website } from '../../../../examples/website/operator.ts';
import {
  CONTROLLERS,
  OF_DEPLOYMENTS,
  OF_PODS,
} from '../../../../test/manifests/support/webhooks.ts';
import { bundle, demo } from './support/bundles.ts';

test.each([
  ['by default', {}],
  ['even if the key may be in the operator', { allowKeyInOperator: true }],
])('[A-17] [admission 21] [packaging 19] a bundle with a declared webhook is refused %s, and the error contains the reason', (_title, changed) => {
  const model = demo({}, [...CONTROLLERS, OF_DEPLOYMENTS, OF_PODS]);

  expect(() => bundle(model, changed)).toThrow(
    /limits\.deployments\.example\.dev.*labels\.pods\.example\.dev.*cannot be in a bundle: OLM mounts the serving key into every container.*kustomize or Helm/s,
  );
});

test('[A-17] [admission 21] a bundle with a conversion is refused, like a bundle with a declared webhook', () => {
  expect(() => bundle(demo({}, [website]))).toThrow(
    /conversion of websites\.example\.dev cannot be in a bundle/,
  );
});

test('a bundle is refused if the gate guards the metrics', () => {
  const gate = {
    certificates: 'cert-manager',
    image: 'gate:1',
    metricsClientCa: 'scraper',
  } as const;

  expect(() => bundle(demo({ gate }, CONTROLLERS))).toThrow(
    /^metrics behind a gate cannot be in a bundle/,
  );
});

test('a bundle can be generated if the operator has no webhooks', () => {
  expect(bundle(demo({}, CONTROLLERS)).size).toBeGreaterThan(0);
});
