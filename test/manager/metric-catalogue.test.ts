/** The catalogue of metrics, held equal to what the sources emit. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { METRICS } from '../../operator/manager/metrics/catalogue.ts';

const operator = fileURLToPath(new URL('../../operator/', import.meta.url));
const CATALOGUE = ['manager/metrics/catalogue.ts', 'manager/metrics/known-elsewhere.ts'];

/** Who emits: everything but the catalogue, queries of what is emitted, and what stands in for a cluster. */
const sources = readdirSync(operator, { recursive: true, encoding: 'utf8' })
  .filter(
    (file) =>
      file.endsWith('.ts') &&
      !CATALOGUE.includes(file) &&
      !file.startsWith('generate/monitoring/') &&
      !file.startsWith('testing/'),
  )
  .map((file) => ({ file, text: withoutComments(readFileSync(operator + file, 'utf8')) }))
  .map(({ file, text }) => ({ file, text, names: namesIn(text) }));

/** Literals that are names of metrics, by their first word. */
function namesIn(text: string): readonly string[] {
  const name =
    /'((?:controller_runtime|workqueue|rest_client|leader_election|chancery)_[a-z0-9_]*[a-z0-9])'/g;
  return [...text.matchAll(name)].map((match) => match[1] ?? '');
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

/** Labels that a source writes down: in a call, or in an object called labels. */
function labelsIn(text: string): readonly string[] {
  const objects = [
    ...text.matchAll(/\.#?(?:count|gauge|observe)\(\s*[^,()]+,\s*\{([^{}]*)\}/g),
    ...text.matchAll(/labels(?:: Labels)? = \{([^{}]*)\}/gi),
    ...text.matchAll(/: Labels \{[^{}]*?return \{([^{}]*)\}/g),
  ];
  const entries = objects.flatMap((match) => (match[1] ?? '').split(','));
  return entries
    .map((entry) => (entry.split(':')[0] ?? '').trim())
    .filter((key) => key !== '' && !key.startsWith('...'));
}

const known = new Map(METRICS.map((metric) => [metric.name, metric]));
const emitting = sources.filter(({ names }) => names.length > 0);

describe('the catalogue of metrics', () => {
  test('[X-1] the metric catalogue lists every metric that the code emits', () => {
    const missing = emitting.flatMap(({ file, names }) =>
      names.filter((name) => !known.has(name)).map((name) => `${name} in ${file}`),
    );

    expect(missing, 'Describe these in operator/manager/metrics/catalogue.ts.').toEqual([]);
    expect(emitting.length).toBeGreaterThan(5);
  });

  test('[X-1] the metric catalogue lists only metrics that the code emits', () => {
    const emitted = new Set(emitting.flatMap(({ names }) => names));

    const idle = METRICS.map(({ name }) => name).filter((name) => !emitted.has(name));
    expect(idle, 'The whole name must be a literal where the metric is counted.').toEqual([]);
  });

  test.each(
    emitting,
  )('[X-2] the code in operator/$file uses only labels that the catalogue lists for its metrics', (source) => {
    const allowed = new Set(source.names.flatMap((name) => known.get(name)?.labels ?? []));

    expect(labelsIn(source.text).filter((label) => !allowed.has(label))).toEqual([]);
  });

  test('[X-2] the search for labels in the code finds seven labels that the code uses', () => {
    const found = new Set(emitting.flatMap(({ text }) => labelsIn(text)));

    for (const label of ['controller', 'result', 'priority', 'code', 'verb', 'type', 'state']) {
      expect(found).toContain(label);
    }
  });

  /**
   * Values of each label, and why they are few. `namespace` is that of a source's scope, as it is
   * configured: empty when all namespaces are watched, never that of an object. `name` is a queue's or
   * a Lease's, of which a process has one for each controller, or one, or one for each of at most 64 groups.
   * `phase` is one of the six of a group. `webhook` is the path of a declared one.
   */
  const BOUNDED = new Set([
    'controller',
    'result',
    'name',
    'phase',
    'priority',
    'code',
    'method',
    'verb',
    'host',
    'group',
    'version',
    'resource',
    'namespace',
    'type',
    'mode',
    'state',
    'reason',
    'operation',
    'layer',
    'webhook',
    'outcome',
  ]);

  test('[X-2] no label of a metric contains the name of an object: each label has few values', () => {
    const labels = new Set(METRICS.flatMap((metric) => metric.labels));

    expect([...labels].filter((label) => !BOUNDED.has(label))).toEqual([]);
  });

  test('[X-2] only source metrics have a namespace label, and only queue, election and group metrics have a name label', () => {
    const withNamespace = METRICS.filter(({ labels }) => labels.includes('namespace'));
    const withName = METRICS.filter(({ labels }) => labels.includes('name'));

    for (const { labels } of withNamespace) {
      expect(labels.slice(0, 4)).toEqual(['group', 'version', 'resource', 'namespace']);
    }
    for (const { name } of withName)
      expect(name).toMatch(/^(workqueue|leader_election|chancery_shard)_/);
  });

  test('every catalogue entry is well formed: a unique name, a help text, ascending buckets for histograms only', () => {
    const names = METRICS.map(({ name }) => name);

    expect(new Set(names).size).toBe(names.length);
    for (const { name, type, help, labels, buckets } of METRICS) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(type === 'counter').toBe(name.endsWith('_total'));
      expect(help).not.toBe('');
      expect(labels.every((label) => /^[a-z]+$/.test(label) && label !== 'le')).toBe(true);
      expect(buckets !== undefined).toBe(type === 'histogram');
      expect(buckets).toEqual(buckets?.toSorted((a, b) => a - b));
    }
  });
});
