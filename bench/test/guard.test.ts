import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { guard } from '../guard.ts';
import { Results } from '../results.ts';
import type { Target } from '../targets.ts';
import { judge, type Verdict } from '../verdicts.ts';

const ours = { work: 'pod-10k', subject: 'chancery-envelope', figure: 'eventsPerSecond' } as const;
const by = { ...ours, subject: 'client-node' } as const;
const target: Target = { id: 'speed', title: 'events/s', of: ours, by, atLeast: 2 };

/** @returns what a release with that ratio is told. */
async function guarded(
  ratio: number,
  path: string,
  asked: { readonly check?: boolean; readonly accept?: boolean },
): Promise<{ readonly worse: number; readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const worse = await guard(verdictsOf(ratio), {
    ...{ path, check: false, accept: false, ...asked },
    isAsked: () => true,
    progress: (line) => lines.push(line),
  });
  return { worse, lines };
}

function verdictsOf(ratio: number): readonly Verdict[] {
  const results = new Results();
  results.add(1, 'pod-10k', 'chancery-envelope', { eventsPerSecond: ratio * 100 });
  results.add(1, 'pod-10k', 'client-node', { eventsPerSecond: 100 });
  return judge(results, [target]);
}

function baselinePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-baseline-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'baseline.json');
}

test('a slowdown is reported with the target, the accepted baseline and the new figure', async () => {
  const path = baselinePath();
  await guarded(4, path, { accept: true });

  const same = await guarded(3.9, path, { check: true });
  const slower = await guarded(2.5, path, { check: true });

  expect(same).toEqual({ worse: 0, lines: [`1 ratios compared, 0 worse: ${path}`] });
  expect(slower).toEqual({
    worse: 1,
    lines: [
      'worse than the baseline: speed (events/s): baseline 4, now 2.5: worse by more than 20 %',
      `1 ratios compared, 1 worse: ${path}`,
    ],
  });
});

test('a run that both checks and accepts is compared with the previous baseline', async () => {
  const path = baselinePath();
  await guarded(4, path, { accept: true });

  const slower = await guarded(2, path, { check: true, accept: true });
  const after = await guarded(2, path, { check: true });

  expect([slower.worse, after.worse]).toEqual([1, 0]);
});

test('a check without a baseline fails', async () => {
  await expect(guarded(4, baselinePath(), { check: true })).rejects.toThrow(/no baseline/);
});

test('a run that neither checks nor accepts needs no baseline', async () => {
  expect(await guarded(4, baselinePath(), {})).toEqual({ worse: 0, lines: [] });
});
