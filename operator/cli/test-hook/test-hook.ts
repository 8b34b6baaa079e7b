import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Log } from '../../controller/reconciler.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';
import { visibleText } from '../../core/text/visible-text.ts';
import { parseYaml } from '../../core/yaml.ts';
import { knownKinds } from '../../model/known-kinds.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { readManifests } from '../files/manifest-files.ts';
import { loadPackage } from '../loading/load-package.ts';
import { testHookArguments } from './arguments.ts';
import type { TEST_HOOK } from './table.ts';

export interface TestHookCommandOptions {
  readonly clock?: Clock;
}

/**
 * `chancery test-hook`: tests one hook or function with a sample. The sample belongs to the
 * contract of hooks or to Metacontroller's contract. This decides which package is loaded.
 */
export async function runTestHook(
  given: GivenTo<typeof TEST_HOOK>,
  io: Io,
  { clock = systemClock }: TestHookCommandOptions = {},
): Promise<ExitCode> {
  const asked = testHookArguments(given);
  const definitions = await readManifests(asked.crd, io.stdin, '--crd ');
  const known = knownKinds(definitions.map(({ value }) => value));
  const sample = await readSample(asked.context, io);
  const parts = { asked, known, clock, io, log: lineLog(io) };
  if (isFunctionRequest(sample)) {
    const entry = '@chancery/metacontroller/command';
    return await (await loadPackage(entry, 'test-hook')).testFunction(sample, parts);
  }
  return await (await loadPackage('@chancery/hooks/command', 'test-hook')).testHook(sample, parts);
}

/**
 * True for a request of Metacontroller's contract: it has the field `controller`, but not `binding`
 * or `kind`.
 */
function isFunctionRequest(sample: unknown): sample is Mapping {
  return (
    isMapping(sample) && 'controller' in sample && !('binding' in sample) && !('kind' in sample)
  );
}

async function readSample(path: string, { stdin }: Io): Promise<unknown> {
  try {
    const content = path === '-' ? await text(stdin) : await readFile(path, 'utf8');
    return parseYaml(content, { exactIntegers: true });
  } catch (error) {
    throw new ConfigurationError(`cannot read --context ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** A log that prints the output of the hook for the user. */
function lineLog({ stderr }: Io): Log {
  const write = (facts: object, message: string): void => {
    const { output, line, found } = facts as Readonly<Record<string, string | undefined>>;
    const shownText = found === undefined ? message : `warning: the answer has the ${found}`;
    stderr.write(`${visibleText(line === undefined ? shownText : `${output}: ${line}`)}\n`);
  };
  return { debug: write, info: write, warn: write, error: write };
}
