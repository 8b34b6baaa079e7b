import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Figures } from '../../bench/figures.ts';
import { numberIn } from '../../bench/message.ts';
import { runPhases } from '../../bench/phases.ts';
import { Speaker } from '../../bench/speaker.ts';
import { SUBJECTS, type Subject, type SubjectName } from '../../bench/subjects.ts';
import type { Work } from '../../bench/works.ts';

const work: Work = {
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
    words: [
      '--expose-gc',
      fileURLToPath(new URL(`../../bench/${file}`, import.meta.url)),
      ...words,
    ],
    environment: { PATH: process.env.PATH ?? '' },
    timeoutMs: 30_000,
  });
  onTestFinished(() => speaker.end());
  return speaker;
}

/** All phases with real processes, from their sources. */
async function measure(name: SubjectName, file: string): Promise<Figures> {
  const server = start('load/main.ts', work.profile, String(work.objects));
  const port = numberIn(await server.hear('listening'), 'port');
  const words = [`http://127.0.0.1:${port}`, work.profile, 'object', String(work.objects)];
  const child = start(`subjects/${file}`, ...words);
  const subject: Subject = SUBJECTS[name];
  return await runPhases({ server, child, subject, work });
}

test('bytes that are thrown away are counted to the last: both bursts come to an end', async () => {
  const figures = await measure('drain', 'drain.ts');

  expect(figures.eventsPerSecond).toBeGreaterThan(0);
  expect(figures.hotEventsPerSecond).toBeGreaterThan(0);
  expect(figures.cpuSecondsPer100k).toBeGreaterThan(0);
  expect(figures.syncPeakBytes).toBeGreaterThan(1e6);
  expect(figures).not.toHaveProperty('latencyP50Ms');
});

test('a subject that makes its own events asks nothing of the server', async () => {
  const figures = await measure('json-parse', 'json-parse.ts');

  expect(figures.eventsPerSecond).toBeGreaterThan(0);
  expect(figures.relistMs).toBeUndefined();
});
