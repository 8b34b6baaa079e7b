/**
 * Breaks everything between an operator and its objects for minutes, and counts what is lost. See
 * docs/soak.md.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../convergence/random.ts';
import { acceleratedClock } from './accelerated-clock.ts';
import { parseSoakArguments, type SoakArguments, USAGE } from './arguments.ts';
import { startEnvironment } from './environment.ts';
import { FAULTS, type Scene } from './fault-kinds.ts';
import { leakedHandles, type MemorySample, memoryGrowth } from './footprint.ts';
import { type Findings, report, targetsMissed } from './report.ts';
import { Subject } from './subject.ts';
import { Writer } from './writer.ts';

const ROUND_MS = 20_000;
/** What is left of a round when faults end. */
const CALM_MS = 3_000;
/** Five backoffs of the longest kind at the default speed. */
const PATIENCE_MS = 20_000;
const WRITE_EVERY_MS = 25;
const FAULT_EVERY_MS = [700, 1_500] as const;

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
  const random = new Random(seed);
  const environment = await startEnvironment(clock);
  const { server, gate, line } = environment;
  const subject = new Subject(line.url, server, clock, new Random(seed + 1));
  const writer = new Writer(server, new Random(seed + 2));
  const scene: Scene = { ...environment, subject, random, speed };
  const faults = new Map(Object.keys(FAULTS).map((name) => [name, 0]));
  const lost: string[] = [];
  const memory: MemorySample[] = [];
  const startedAt = performance.now();
  const elapsedMs = (): number => performance.now() - startedAt;
  const faultCount = (): number => [...faults.values()].reduce((sum, count) => sum + count, 0);
  const sampler = setInterval(() => {
    memory.push({ atMs: elapsedMs(), bytes: process.memoryUsage.rss() });
  }, 1_000);
  const reporter = setInterval(() => {
    process.stderr.write(
      `${Math.round(elapsedMs() / 1_000)} s: ${writer.writeCount} writes, ` +
        `${subject.eventCount} events, ${faultCount()} faults, ${gate.watchCount} watches, ` +
        `${gate.listCount} lists, ${lost.length} lost, ` +
        `${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB\n`,
    );
  }, 10_000);

  subject.start();
  let bag: string[] = [];
  let checkpointCount = 0;
  let settleMsMax = 0;
  while (elapsedMs() < minutes * 60_000) {
    const roundEndsAt = elapsedMs() + ROUND_MS;
    const underway: Promise<void>[] = [];
    let nextFaultAt = elapsedMs() + 500;
    while (elapsedMs() < roundEndsAt - CALM_MS) {
      writer.write();
      if (elapsedMs() >= nextFaultAt) {
        if (bag.length === 0) bag = random.shuffled(Object.keys(FAULTS));
        const name = bag.pop() ?? '';
        faults.set(name, (faults.get(name) ?? 0) + 1);
        underway.push(Promise.resolve(FAULTS[name]?.(scene)));
        nextFaultAt = elapsedMs() + random.between(...FAULT_EVERY_MS);
      }
      await wait(WRITE_EVERY_MS * 2 * random.next());
    }
    await Promise.all(underway);
    await line.heal();
    await gate.heal();
    subject.calm();
    const calmAt = elapsedMs();
    const converged = (): boolean =>
      subject.differences().length === 0 && server.openWatches === subject.watchCount;
    while (!converged() && elapsedMs() < calmAt + PATIENCE_MS) await wait(50);
    settleMsMax = Math.max(settleMsMax, elapsedMs() - calmAt);
    checkpointCount++;
    const found = [
      ...subject.differences(),
      ...subject.takeViolations(),
      ...subject.bugs.splice(0),
    ];
    if (server.openWatches !== subject.watchCount) {
      found.push(`${server.openWatches} watches are open, not ${subject.watchCount}`);
    }
    for (const what of found.slice(0, 10)) process.stderr.write(`LOST ${what}\n`);
    lost.push(...found);
    await wait(Math.max(0, roundEndsAt - elapsedMs()));
  }

  const ranMs = elapsedMs();
  await subject.stop();
  const stopAt = performance.now();
  while ((server.openWatches > 0 || line.openCount > 0) && performance.now() < stopAt + 5_000) {
    await wait(20);
  }
  const connectionsLeft = server.openWatches + line.openCount;
  clearInterval(sampler);
  clearInterval(reporter);
  await environment.close();
  return {
    seed,
    minutes: ranMs / 60_000,
    checkpointCount,
    settleMsMax,
    writeCount: writer.writeCount,
    eventCount: subject.eventCount,
    reconcileCount: subject.reconcileCount,
    faults,
    watchCount: gate.watchCount,
    listCount: gate.listCount,
    driftCount: subject.driftCount,
    lost,
    memory: memoryGrowth(memory, ranMs),
    connectionsLeft,
    handlesLeft: await leakedHandles(handlesBefore),
  };
}

process.exitCode = await main(process.argv.slice(2));
