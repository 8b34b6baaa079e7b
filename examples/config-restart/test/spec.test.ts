/** What the selector of a watcher may cost: a user of one namespace writes it. */
import { expect, test } from 'vitest';
import { annotationWatchers } from '../front-ends/annotation.ts';
import { demandOfSpec, MAX_SELECTOR_CHARACTERS, MAX_SELECTOR_PARTS } from '../spec.ts';

const keys = (count: number): string[] => Array.from({ length: count }, (_, at) => `k${at}`);

function watcherOf(selector: string, more: object = {}) {
  const annotations = { 'k8spatterns.com/podDeleteSelector': selector, ...more };
  const metadata = { name: 'app', namespace: 'demo', annotations };
  return annotationWatchers({ apiVersion: 'v1', kind: 'ConfigMap', metadata } as never)[0];
}

test.each([
  [`a in (${'x,'.repeat(60_000)}x)`, `more than ${MAX_SELECTOR_CHARACTERS}`],
  [keys(1_001).join(','), `the selector has 1001 requirements and values, more than`],
  [`a in (${keys(1_000).join(',')})`, `has 1001 requirements and values, more than`],
])('[found 2] a selector in an annotation that is too large is refused, and the message contains the limit', (text, said) => {
  const watcher = watcherOf(text);

  expect(watcher).toMatchObject({ refusal: { reason: 'InvalidSelector' } });
  expect(JSON.stringify(watcher)).toContain(said);
});

test('[found 2] a selector in a custom resource may have 1,000 parts, but not more', () => {
  const matchLabels = Object.fromEntries(keys(MAX_SELECTOR_PARTS / 2).map((key) => [key, 'v']));

  expect(demandOfSpec({ selector: { matchLabels } }).selector).toHaveLength(500);
  expect(() => demandOfSpec({ selector: { matchLabels }, podSelector: { one: 'more' } })).toThrow(
    'more than 1000',
  );
});

test('[found 2] the error quotes only a part of an invalid value', () => {
  const strategy = 'x'.repeat(100_000);

  const watcher = watcherOf('a=b', { 'k8spatterns.com/restartStrategy': strategy });

  if (watcher?.accepted !== false) expect.unreachable('it is accepted');
  expect(watcher.refusal.reason).toBe('InvalidSpec');
  expect(watcher.refusal.message.length).toBeLessThan(200);
});
