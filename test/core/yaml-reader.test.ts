/** YAML of others is read in a thread: what it takes there, and what it says. */
import fc from 'fast-check';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../operator/core/clock.ts';
import { formatYaml } from '../../operator/core/yaml.ts';
import { createYamlReader, type YamlReader } from '../../operator/core/yaml-thread/yaml-reader.ts';
import { yamlWork } from '../../operator/core/yaml-thread/yaml-work.ts';
import { jsonValue } from '../support/json-arbitraries.ts';
import { propertyRuns } from '../support/property-runs.ts';

const { signal } = new AbortController();

const shared = createYamlReader({ clock: systemClock });
afterAll(() => shared.close());

function readerWith(limits: { timeLimitMs?: number; memoryLimitMb?: number }): YamlReader {
  const reader = createYamlReader({ clock: systemClock, ...limits });
  onTestFinished(() => reader.close());
  return reader;
}

test('[found 3] documents are returned as JSON, with every digit', async () => {
  const text = 'a: 9007199254740993\nb: .inf\n---\n# nothing\n---\n- yes\n';

  const answer = await shared.read({ texts: [text], form: 'stream' }, signal);

  expect(answer).toEqual({ documents: ['{"a":9007199254740993,"b":1e999}', '[true]'] });
});

test('[found 3] the YAML thread reads back every value that formatYaml wrote', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(jsonValue({ maxDepth: 3 }), { maxLength: 3 }), async (values) => {
      const texts = values.map(formatYaml);

      const answer = await shared.read({ texts, form: 'one' }, signal);

      expect(answer).toEqual({ documents: values.map((value) => JSON.stringify(value)) });
    }),
    propertyRuns(),
  );
});

test('[found 3] a text that takes too long, or too much memory, is refused, and the next text is read', async () => {
  const slow = readerWith({ timeLimitMs: 300 });
  const small = readerWith({ memoryLimitMb: 24 });
  const heavy = 'a: 1\n'.repeat(400_000);
  const light = { texts: ['a: 1'], form: 'stream' } as const;
  // A thread that is only started may take longer than the short limit on a slow machine.
  const problem = (reader: YamlReader) => reader.read({ texts: [heavy], form: 'stream' }, signal);

  expect(await problem(slow)).toMatchObject({
    problem: 'takes more than 0.3 s or 160 MiB to be read as YAML: write JSON',
  });
  expect(await problem(small)).toMatchObject({
    problem: 'takes more than 10 s or 24 MiB to be read as YAML: write JSON',
  });
  expect(await small.read(light, signal)).toEqual({ documents: ['{"a":1}'] });
});

test('[found 3] an aborted request rejects at once, and the reader continues with the next request', async () => {
  const reader = readerWith({ timeLimitMs: 2_000 });
  const stop = new AbortController();
  const heavy = reader.read({ texts: ['[],'.repeat(600_000)], form: 'stream' }, stop.signal);
  const next = reader.read({ texts: ['b: 2'], form: 'one' }, signal);
  stop.abort(new Error('enough'));

  await expect(heavy).rejects.toThrow('enough');
  expect(await next).toEqual({ documents: ['{"b":2}'] });
});

test('[found 3] a closed reader ends its thread and reads nothing more', async () => {
  const reader = createYamlReader({ clock: systemClock });
  await reader.read({ texts: ['a: 1'], form: 'one' }, signal);

  await reader.close();

  await expect(reader.read({ texts: ['a: 1'], form: 'one' }, signal)).rejects.toThrow('is closed');
});

const nested = (levels: number): string => `${'{a: '.repeat(levels)}1${'}'.repeat(levels)}`;

test.each([
  [
    'a long document',
    'x'.repeat(2 * 1024 * 1024 + 1),
    'has 2097153 characters, more than the 2097152',
  ],
  ['many documents', '--- 1\n'.repeat(20_001), 'is beyond the limit of 20000 documents'],
  ['levels beyond the stack', '['.repeat(20_000), 'has too many levels'],
  ['levels beyond the limit', nested(1_200), / levels$/],
  [
    'aliases that multiply values',
    `a: &a [${'x, '.repeat(6_000)}x]\nb: [${'*a, '.repeat(90)}*a]`,
    'more than 500000 values up to it, with its aliases',
  ],
  [
    'aliases that multiply characters',
    `a: &a ${'x'.repeat(200_000)}\nb: [${'*a, '.repeat(60)}*a]`,
    'more than 10000000 characters, with its aliases',
  ],
  ['a number that JSON does not have', 'a: .nan', 'has a number that JSON cannot hold'],
  [
    'content that is not YAML',
    'password: hunter2\n  a: [',
    /^is neither JSON nor YAML, at line \d+, column \d+ of the document$/,
  ],
])('[found 3] a text with %s is refused, and the message does not quote the text', (_what, text, problem) => {
  const answer = yamlWork({ texts: [text], form: 'stream' });

  expect('problem' in answer && answer.problem).toMatch(problem);
  expect(JSON.stringify(answer)).not.toContain('hunter2');
});
