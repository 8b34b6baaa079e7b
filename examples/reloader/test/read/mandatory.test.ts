import type { coreV1 } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { isMandatory } from '../../read/mandatory.ts';

const A = { type: 'SECRET', name: 'a' } as const;

const container = (fields: Partial<coreV1.Container>): coreV1.PodSpec => ({
  containers: [{ name: 'app', ...fields }],
});
const projected = (optional?: boolean): coreV1.PodSpec => {
  const secret = { name: 'a', ...(optional !== undefined && { optional }) };
  return { ...container({}), volumes: [{ name: 'v', projected: { sources: [{ secret }] } }] };
};

test.each<readonly [string, boolean, coreV1.PodSpec]>([
  ['envFrom', true, container({ envFrom: [{ secretRef: { name: 'a' } }] })],
  [
    'optional envFrom',
    false,
    container({ envFrom: [{ secretRef: { name: 'a', optional: true } }] }),
  ],
  ['envFrom of a ConfigMap', false, container({ envFrom: [{ configMapRef: { name: 'a' } }] })],
  [
    'a key',
    true,
    container({ env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'a', key: 'k' } } }] }),
  ],
  ['a volume', true, { ...container({}), volumes: [{ name: 'v', secret: { secretName: 'a' } }] }],
  ['a projected volume', true, projected()],
  ['an optional projected volume', false, projected(true)],
  ['nothing', false, container({})],
])('a reference by %s is mandatory: %s', (_, mandatory, podSpec) => {
  expect(isMandatory(A, podSpec)).toBe(mandatory);
});
