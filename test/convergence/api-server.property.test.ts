/**
 * The same promise as `fake-clock.property.test.ts` on real sockets: informers and a manager against
 * the embedded API server, behind a TCP line and an HTTP hop that break. The clock of both runs
 * faster than the machine's. `npm run soak` does this for minutes, through a real `kubectl proxy`.
 */

import { freePort } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceleratedClock } from '../soak/accelerated-clock.ts';
import { startEnvironment, withoutAmbassador } from '../soak/environment.ts';
import { Probes } from '../soak/probes.ts';
import { Rounds } from '../soak/round.ts';
import { Subject } from '../soak/subject.ts';
import { Writer } from '../soak/writer.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { Random } from './random.ts';

const SPEED = 50;

/** Everything that is wrong after a second of writes and faults, and after the end. */
async function play(seed: number): Promise<readonly string[]> {
  const clock = acceleratedClock(SPEED);
  const environment = await startEnvironment(clock, withoutAmbassador);
  const { server, line } = environment;
  const subject = new Subject(line.url, server, clock, new Random(seed + 1), await freePort());
  const writer = new Writer(server, new Random(seed + 2));
  const probes = new Probes(subject.healthPort);
  const scene = { ...environment, subject, probes, random: new Random(seed), speed: SPEED };
  const rounds = new Rounds(scene, writer, { writeEveryMs: 5, faultEveryMs: [30, 150] });
  try {
    subject.start();
    await rounds.storm(1_000);
    return await rounds.settle(10_000);
  } finally {
    await subject.stop();
    await environment.close();
  }
}

test('[T-5] with real sockets and random faults a cache ends in the state of the API server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: 1_000_000 }), async (seed) => {
      expect(await play(seed)).toEqual([]);
    }),
    { ...propertyRuns(0.03), endOnFailure: true },
  );
});
