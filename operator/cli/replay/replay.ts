import { readRecord } from '../../flight/read-record.ts';
import type { HeaderLine } from '../../flight/record-line.ts';
import type { StartReplayCluster } from '../../flight/replay/recorded/replay-cluster.ts';
import { replay } from '../../flight/replay/replay.ts';
import { timelinePage } from '../../flight/timeline/timeline-page.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { type LoadedModule, loadModules, merged } from '../loading/load-modules.ts';
import { loadPackage } from '../loading/load-package.ts';
import { LoadedFiles } from '../loading/loaded-files.ts';
import { resolveToolkit } from '../loading/toolkit-hooks.ts';
import { type ReplayArguments, replayArguments, untilAt } from './arguments.ts';
import { inspected, waitForDebugger } from './inspected.ts';
import { moduleChanges } from './module-changes.ts';
import { writeNew } from './output-file.ts';
import { recordLines, replayLines } from './report.ts';
import type { REPLAY } from './table.ts';
import { type TestingPackage, writeTest } from './to-test.ts';

/** `chancery replay`: runs controllers against a flight record, and compares their actions. */
export async function replayRecord(given: GivenTo<typeof REPLAY>, io: Io): Promise<ExitCode> {
  const asked = replayArguments(given);
  const record = await readRecord(asked.file);
  const until = untilAt(asked.until, record);
  if (asked.html !== undefined) await writeNew(asked.html, timelinePage(record), asked.force);
  if (asked.modules.length === 0) return 0;
  const files = new LoadedFiles();
  files.notice();
  const { controllers, settings } = await loaded(asked, record.header, given.rest, io);
  const changes = moduleChanges(record.header, files);
  for (const line of recordLines(record, changes)) io.stderr.write(`chancery replay: ${line}\n`);
  const { signal } = io; // from here on there is no time limit, for debugging
  if (asked.inspect) waitForDebugger(io);
  const continues = changes.changed.length > 0 || changes.missing.length > 0;
  const found = await replay({
    record,
    controllers: asked.inspect
      ? controllers.map((each) => inspected(each, asked.key))
      : controllers,
    settings,
    partly: asked.force,
    untilAt: until,
    key: asked.key,
    continues,
    startCluster,
    signal,
  });
  if (signal.aborted) return 1;
  for (const line of replayLines(found, continues)) io.stdout.write(`${line}\n`);
  if (found.differences.length > 0) {
    const why =
      'no test is written: it would hold already, because the code does not do what is recorded';
    if (asked.toTest !== undefined) io.stderr.write(`chancery replay: ${why}\n`);
    return 1;
  }
  if (asked.toTest === undefined) return 0;
  const args = given.rest.length > 0 ? given.rest : record.header.arguments;
  const of = { record, controllers, args, untilAt: until, out: asked.toTest };
  const key = await writeTest({ ...asked, ...of });
  io.stderr.write(`chancery replay: ${asked.toTest} has what happened to ${key}\n`);
  return 0;
}

/** The modules, with the settings and the arguments of the record. */
async function loaded(
  { modules }: ReplayArguments,
  { settings, arguments: recorded }: HeaderLine,
  args: readonly string[],
  { env }: Io,
): Promise<LoadedModule> {
  resolveToolkit();
  const environment = { ...env, ...settings };
  const all = await loadModules(modules, { args: args.length > 0 ? args : recorded, environment });
  return merged(all, modules);
}

const startCluster: StartReplayCluster = async (state) => {
  const kit = (await loadPackage('@chancery/testing', 'replay')) as TestingPackage;
  return kit.recordedCluster(state);
};
