/** The memory limit of the operator against what its caches hold. */
import { expect, test } from 'vitest';
import { ConfigurationError } from '../../../operator/core/errors.ts';
import { type CacheSize, neededMemory } from '../../../operator/generate/lint/cache-memory.ts';
import { lint } from '../../../operator/generate/lint/lint.ts';
import { type Manifests, plain } from './good.ts';

const RULE = 'operator-memory-limit';
const SMALL: CacheSize = { objects: 21_000, bytes: 17_500_000 };
/** More than fits into the 256 MiB of heap that Node gives V8 at least. */
const MIDDLE: CacheSize = { objects: 9_000, bytes: 180_000_000 };
/** More than fits into the 2 GiB that Node gives V8 at most. */
const LARGE: CacheSize = { objects: 400_000, bytes: 1_400_000_000 };

const NODES_CHOICE = { heapIsSet: false };
const limited = (limit: unknown): Manifests =>
  plain().set('operator.resources.limits.memory', limit);
const withOptions = (manifests: Manifests, value: string): Manifests =>
  manifests.push('operator.env', { name: 'NODE_OPTIONS', value });
const found = ({ objects }: Manifests, caches: CacheSize | undefined) => lint(objects, { caches });
const pathsOf = (manifests: Manifests, caches: CacheSize) =>
  found(manifests, caches).map(({ path }) => path);

const LIMIT = 'containers[operator].resources.limits.memory';
const OPTIONS = 'containers[operator].env[NODE_OPTIONS]';

test('a memory limit that is just enough causes no warning, and a limit one byte lower causes a warning', () => {
  for (const caches of [SMALL, MIDDLE]) {
    const enough = Math.ceil(neededMemory(caches, NODES_CHOICE).limitBytes);

    expect(found(limited(String(enough)), caches)).toEqual([]);
    expect(found(limited(String(enough - 1)), caches)).toEqual([
      expect.objectContaining({
        rule: RULE,
        level: 'warning',
        object: 'Deployment/op',
        path: LIMIT,
      }),
    ]);
  }
});

test('the warning contains the size of the caches, the limit, and the value to write', () => {
  const [diagnostic] = found(limited('128Mi'), SMALL);

  expect(diagnostic?.message).toBe(
    `${LIMIT} is 128Mi: the caches hold 21000 objects of 17.5 MB, and a list in which all of them have ` +
      'changed may need 224Mi; set 224Mi or more, or cache less (a selector, a transform, metadataOnly)',
  );
});

test('the memory limit that the warning suggests causes no warning', () => {
  for (const caches of [SMALL, MIDDLE, LARGE, { objects: 0, bytes: 0 }]) {
    const { limit, heapFlagMiB } = neededMemory(caches, NODES_CHOICE);
    const manifests = limited(limit);
    if (heapFlagMiB !== undefined) {
      withOptions(manifests, `--max-old-space-size=${heapFlagMiB}`);
    }

    expect(found(manifests, caches)).toEqual([]);
  }
});

test.each([
  ['256Mi', '200Mi'],
  ['0.25Gi', '0.2Gi'],
  ['250M', '220M'],
  ['.25G', '.22G'],
  ['250e6', '2.2E8'],
  ['250000000', '220000000'],
  ['250000000000m', '220000000000m'],
  ['250000Ki', '210000Ki'],
  [250_000_000, 220_000_000],
])('for the caches a memory limit of %s is enough, and a limit of %s is too small', (enough, small) => {
  expect(found(limited(enough), SMALL)).toEqual([]);
  expect(pathsOf(limited(small), SMALL)).toEqual([LIMIT]);
});

test.each([
  '256MiB',
  'lots',
  '-1Gi',
  '1e',
  '',
])('the invalid memory limit %j is reported', (limit) => {
  const [diagnostic] = found(limited(limit), SMALL);

  expect(diagnostic).toMatchObject({ rule: RULE, path: LIMIT });
  expect(diagnostic?.message).toContain(`is ${JSON.stringify(limit)}, no quantity: `);
});

test('a missing memory limit is reported only by the rule `memory-limits`', () => {
  const rules = found(plain().remove('operator.resources.limits'), SMALL).map(({ rule }) => rule);

  expect(rules).toEqual(['memory-limits']);
});

test("lint checks the memory limit of the operator's container at any position in the list", () => {
  const manifests = limited('128Mi');
  const other = structuredClone(manifests.get('operator')) as { name: string };
  manifests.set('pod.containers', [
    { ...other, name: 'exporter', resources: { limits: { memory: '16Mi' } } },
    ...(manifests.get('pod.containers') as readonly object[]),
  ]);

  const paths = found(manifests, SMALL).filter(({ rule }) => rule === RULE);

  expect(paths.map(({ path }) => path)).toEqual([LIMIT]);
});

test('without `--status` the memory limit is not checked', () => {
  expect(found(limited('1Mi'), undefined)).toEqual([]);
});

test('if one status page is given for two workloads, the error contains both workloads', () => {
  const manifests = plain();
  const second = structuredClone(manifests.get('Deployment')) as { metadata: { name: string } };
  second.metadata.name = 'op-b';
  manifests.add(second);

  expect(() => found(manifests, SMALL)).toThrow(ConfigurationError);
  expect(() => found(manifests, SMALL)).toThrow(
    'one status page cannot describe 2 workloads (Deployment/op and Deployment/op-b); lint each on its own',
  );
});

test("if Node's heap size is set, the caches may use more than half of the memory limit", () => {
  const { limitBytes, heapBytes } = neededMemory(MIDDLE, { heapIsSet: true });
  const limit = String(Math.ceil(limitBytes));
  const heap = Math.ceil(heapBytes / 2 ** 20);

  expect(pathsOf(limited(limit), MIDDLE)).toEqual([LIMIT]);
  expect(pathsOf(withOptions(limited(limit), `--max-old-space-size=${heap}`), MIDDLE)).toEqual([]);
  expect(pathsOf(withOptions(limited(limit), `--max_old_space_size=${heap - 1}`), MIDDLE)).toEqual([
    OPTIONS,
  ]);
  expect(
    pathsOf(withOptions(limited('2Gi'), '--max-old-space-size-percentage=75'), MIDDLE),
  ).toEqual([]);
  expect(
    pathsOf(withOptions(limited('2Gi'), '--max-old-space-size-percentage=10'), MIDDLE),
  ).toEqual([OPTIONS]);
});

test("if the caches are larger than Node's default heap, a heap size is required", () => {
  const { heapFlagMiB } = neededMemory(LARGE, NODES_CHOICE);

  const [diagnostic, ...more] = found(limited('64Gi'), LARGE);

  expect(more).toEqual([]);
  expect(diagnostic).toMatchObject({ rule: RULE, level: 'warning', path: OPTIONS });
  expect(diagnostic?.message).toContain(`set --max-old-space-size=${heapFlagMiB}, or cache less`);
});
