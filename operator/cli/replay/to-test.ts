import { dirname, resolve } from 'node:path';
import type { Controller } from '../../controller/controller.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { FlightRecord } from '../../flight/read-record.ts';
import { incidentOf, likelyKey } from '../../flight/replay/incident.ts';
import { type RecordedAttempt, recordedRun } from '../../flight/replay/recorded/recorded-run.ts';
import type { StartReplayCluster } from '../../flight/replay/recorded/replay-cluster.ts';
import { importPath, testText } from '../../flight/replay/test-text.ts';
import { loadModule } from '../loading/load-module.ts';
import { loadPackage } from '../loading/load-package.ts';
import { writeNew } from './output-file.ts';

/** The exports of `@chancery/testing` that this command uses. */
export interface TestingPackage {
  readonly recordedCluster: StartReplayCluster;
  replayIncident(
    lines: readonly object[],
    options: { readonly controllers: readonly Controller[]; readonly key: string },
  ): Promise<{ readonly objects: readonly object[]; readonly writes: readonly string[] }>;
}

interface ToTestOptions {
  readonly record: FlightRecord;
  readonly controllers: readonly Controller[];
  readonly modules: readonly string[];
  readonly args: readonly string[];
  readonly key: string | undefined;
  readonly untilAt: number | undefined;
  readonly out: string;
  readonly force: boolean;
}

/**
 * Writes a test from the recorded data of one key.
 *
 * @returns the key.
 * @throws ConfigurationError `CONFIG` when the record contains no reconcile attempt for the key.
 */
export async function writeTest(options: ToTestOptions): Promise<string> {
  const { record, modules, out, args } = options;
  const key = options.key ?? likelyKey(record);
  const [module, ...others] = modules;
  if (key === undefined)
    throw new ConfigurationError('the record has no reconcile to make a test of');
  if (module === undefined || others.length > 0) {
    throw new ConfigurationError('--to-test needs one MODULE, which the test imports');
  }
  const incident = incidentOf(record, key, options.untilAt ?? record.header.to);
  const attempts = [...recordedRun(incident).attempts.values()];
  if (attempts.length === 0) {
    throw new ConfigurationError(`the record has no reconcile of ${key} in that time`);
  }
  const { program } = await loadModule(module);
  const text = testText({
    ...{ incident, key },
    module: importPath(dirname(resolve(out)), resolve(module)),
    args: program === undefined ? undefined : args,
    expectation: await expectationOf(options, incident, key, attempts),
  });
  await writeNew(out, text, options.force);
  return key;
}

/** An expectation that fails as long as the operator behaves as recorded. */
async function expectationOf(
  { record, controllers }: ToTestOptions,
  incident: FlightRecord,
  key: string,
  attempts: readonly RecordedAttempt[],
): Promise<string> {
  const last = attempts.at(-1)?.outcome;
  if (last === undefined) return 'expect(end.outcome).toBeDefined();';
  if (last.error !== undefined)
    return `expect(end.outcome).not.toBe(${JSON.stringify(last.result)});`;
  const kit = (await loadPackage('@chancery/testing', 'replay --to-test')) as TestingPackage;
  const lines = [incident.header, ...incident.lines];
  const { objects, writes } = await kit.replayIncident(lines, { controllers, key });
  if (record.header.reason === 'write-loop') {
    return `expect(end.writes.length).toBeLessThan(${writes.length});`;
  }
  return `expect(end.objects).not.toEqual(${JSON.stringify(objects, null, 2).replaceAll('\n', '\n  ')});`;
}
