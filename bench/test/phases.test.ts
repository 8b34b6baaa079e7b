import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Figures } from '../figures.ts';
import { numberIn } from '../message.ts';
import { runPhases } from '../phases.ts';
import { Speaker } from '../speaker.ts';
import { SUBJECTS, type Subject, type SubjectName } from '../subjects.ts';
import type { Work } from '../works.ts';

/** The sources stand for the built package. */
const CHANCERY_ENTRY = fileURLToPath(new URL('../../operator/index.ts', import.meta.url));

const everything: Work = {
  profile: 'config-map',
  objects: 20,
  burst: 50,
  hot: 30,
  latencySeconds: 1,
  relist: true,
  subjects: [],
};

function start(file: string, ...words: readonly string[]): Speaker {
  const speaker = new Speaker({
    command: process.execPath,
    words: ['--expose-gc', fileURLToPath(new URL(`../${file}`, import.meta.url)), ...words],
    environment: { PATH: process.env.PATH ?? '', CHANCERY_ENTRY },
    timeoutMs: 30_000,
  });
  onTestFinished(() => speaker.end());
  return speaker;
}

interface Asked {
  readonly work?: Work;
  readonly mode?: string;
  /** How many objects the subject is told there are. Default: as many as there are. */
  readonly told?: number;
}

/** All phases with real processes, from their sources. */
async function measure(
  name: SubjectName,
  file: string,
  { work = everything, mode = 'object', told = work.objects }: Asked = {},
): Promise<Figures> {
  const server = start('load-server.ts', work.profile, String(work.objects));
  const port = numberIn(await server.hear('listening'), 'port');
  const words = [`http://127.0.0.1:${port}`, work.profile, mode, String(told)];
  const child = start(`subjects/${file}`, ...words);
  const subject: Subject = SUBJECTS[name];
  return await runPhases({ server, child, subject, work });
}

test('a subject that discards all bytes still counts every event, so that both bursts end', async () => {
  const figures = await measure('drain', 'drain.ts');

  expect(figures.eventsPerSecond).toBeGreaterThan(0);
  expect(figures.hotEventsPerSecond).toBeGreaterThan(0);
  expect(figures.cpuSecondsPer100k).toBeGreaterThan(0);
  expect(figures.syncPeakBytes).toBeGreaterThan(1e6);
  expect(figures).not.toHaveProperty('latencyP50Ms');
});

test('a subject that generates its own events has a speed, and no figure for relists', async () => {
  const figures = await measure('json-parse', 'json-parse.ts');

  expect(figures.eventsPerSecond).toBeGreaterThan(0);
  expect(figures.relistMs).toBeUndefined();
});

test.each([
  ['chancery-slow', 'slow', { burst: 50 }, 'burstPeakBytes'],
  ['chancery-stuck', 'stuck', { burst: 50 }, 'burstPeakBytes'],
  ['chancery-deleted', 'deleted', { deletions: true }, 'burstPeakBytes'],
  ['chancery-endless', 'endless', { endless: true }, 'endlessPeakBytes'],
] as const)('the subject %s receives all events in order, and therefore has figures', async (name, mode, phase, peak) => {
  const work: Work = { profile: 'config-map', objects: 20, subjects: [], ...phase };

  const figures = await measure(name, 'chancery-overload.ts', { work, mode });

  expect(figures[peak]).toBeGreaterThan(1e6);
});

test('a subject that expects fewer objects than the server sends has no figures', async () => {
  const work: Work = { profile: 'config-map', objects: 20, subjects: [], burst: 50 };

  // It takes the objects for 19, so that the first list has one too many.
  const figures = measure('chancery-slow', 'chancery-overload.ts', {
    work,
    mode: 'slow',
    told: 19,
  });

  await expect(figures).rejects.toThrow(/after 19 events came configmap-19/);
});
