/**
 * Breaks everything between an operator and its objects for minutes, and counts what is lost. See
 * docs/soak.md.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '@chancery/testing';
import { Random } from '../convergence/random.ts';
import { acceleratedClock } from './accelerated-clock.ts';
import { parseSoakArguments, type SoakArguments, USAGE } from './arguments.ts';
import { startEnvironment, throughKubectl } from './environment.ts';
import type { Scene } from './fault-kinds.ts';
import { leakedHandles, type MemorySample, memoryGrowth, memoryInUse } from './footprint.ts';
import { Probes } from './probes.ts';
import { type Findings, report, targetsMissed } from './report.ts';
import { Rounds } from './round.ts';
import { Subject } from './subject.ts';
import { Writer } from './writer.ts';

/** The distance between two checkpoints, most of it a storm. */
const ROUND_MS = 20_000;
const STORM_MS = 17_000;

/** The longest backoff is 60 s: 3 s at the default speed. The rest is for a slow machine. */
const PATIENCE_MS = 20_000;

const PACE = { writeEveryMs: 25, faultEveryMs: [700, 1_500] } as const;

async function main(words: readonly string[]): Promise<number> {
  const parsed = parseSoakArguments(words);
  if (parsed === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  if ('wrong' in parsed) {
    process.stderr.write(`${parsed.wrong}\n\n${USAGE}`);
    return 2;
  }
  const findings = await soak(parsed);
  process.stdout.write(report(findings));
  return targetsMissed(findings).length === 0 ? 0 : 1;
}

async function soak({ minutes, seed, speed }: SoakArguments): Promise<Findings> {
  process.stdout.write(''); // opens both streams, so that they are no leak
  process.stderr.write(`seed ${seed}, ${minutes} minutes, clock at ${speed} times\n`);
  const handlesBefore = process.getActiveResourcesInfo();
  const clock = acceleratedClock(speed);
  const environment = await startEnvironment(clock, throughKubectl);
  const { server, gate, line } = environment;
  const subject = new Subject(line.url, server, clock, new Random(seed + 1), await freePort());
  const probes = new Probes(subject.healthPort);
  const writer = new Writer(server, new Random(seed + 2));
  const scene: Scene = { ...environment, subject, probes, random: new Random(seed), speed };
  const rounds = new Rounds(scene, writer, PACE);
  const lost: string[] = [];
  const memory: MemorySample[] = [];
  const startedAt = performance.now();
  const elapsedMs = (): number => performance.now() - startedAt;
  const progress = setInterval(() => {
    process.stderr.write(
      `${Math.round(elapsedMs() / 1_000)} s: ${writer.writeCount} writes, ` +
        `${subject.eventCount} changes, ${rounds.faultCount} faults, ${gate.watchCount} watches, ` +
        `${gate.listCount} lists, ${lost.length} lost, ` +
        `${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB resident\n`,
    );
  }, 10_000);

  const inUse = memoryInUse();

  subject.start();
  await listening(subject.healthPort);
  probes.start();
  let checkpointCount = 0;
  let settleMsMax = 0;
  while (elapsedMs() < minutes * 60_000) {
    const roundEndsAt = elapsedMs() + ROUND_MS;
    await rounds.storm(STORM_MS);
    const calmAt = elapsedMs();
    const wrong = await rounds.settle(PATIENCE_MS);
    settleMsMax = Math.max(settleMsMax, elapsedMs() - calmAt);
    checkpointCount++;
    for (const what of wrong.slice(0, 10)) process.stderr.write(`LOST ${what}\n`);
    lost.push(...wrong);
    server.compact(); // or its history, of up to two rounds, would count
    memory.push({ bytes: inUse(), faultRounds: rounds.faultRounds });
    await wait(Math.max(0, roundEndsAt - elapsedMs()));
  }
  const ranMs = elapsedMs();
  clearInterval(progress);
  await probes.stop();
  await subject.stop();
  const connectionsLeft = await leftOpen(scene);
  await environment.close();

  return {
    seed,
    minutes: ranMs / 60_000,
    checkpointCount,
    settleMsMax,
    writeCount: writer.writeCount,
    eventCount: subject.eventCount,
    reconcileCount: subject.reconcileCount,
    faults: rounds.faults,
    watchCount: gate.watchCount,
    listCount: gate.listCount,
    probes: probes.figures,
    probesBesidePeers: probes.besidePeers,
    driftCount: subject.driftCount,
    lost,
    memory: memoryGrowth(memory),
    residentBytes: process.memoryUsage.rss(),
    connectionsLeft,
    handlesLeft: await leakedHandles(handlesBefore),
  };
}

/** Resolves when the port accepts connections. */
async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect({ port, host: '127.0.0.1' });
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await wait(20);
  }
}

/** Connections to the line and watches in the server 5 s after the operator's end. */
async function leftOpen({ server, line }: Scene): Promise<number> {
  const count = (): number => server.openWatches + line.openCount;
  const givenUpAt = performance.now() + 5_000;
  while (count() > 0 && performance.now() < givenUpAt) await wait(20);
  return count();
}

process.exitCode = await main(process.argv.slice(2));
