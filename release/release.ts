/** One release, or its rehearsal. */
import { writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { ReleaseArguments } from './arguments.ts';
import { tagRefusals } from './checks/checkout.ts';
import { readPackages } from './packages.ts';
import { type Prepared, prepare } from './prepare.ts';
import { type Command, publish, publishingCommands, publishingRefusals, shown } from './publish.ts';
import type { Refusal } from './refusal.ts';

export interface ReleaseOptions extends ReleaseArguments {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}

/** @returns the exit code: 0 when nothing speaks against the release, 1 otherwise. */
export async function release(options: ReleaseOptions): Promise<0 | 1> {
  const { root, env, say, isDryRun, hasImages, registry } = options;
  const version = readPackages(root)[0]?.manifest.version ?? 'unknown';
  const folder = resolve(root, options.output ?? join('release/dist', version));
  const tell = (step: string): void => say(`release: ${step}`);
  return conclude(
    await prepare({ root, folder, registry, isDryRun, hasImages, env, tell }),
    options,
  );
}

/**
 * Tells everything that speaks against a release, and publishes it when nothing does and it is no dry run.
 *
 * @returns the exit code.
 */
export async function conclude(prepared: Prepared, options: ReleaseOptions): Promise<0 | 1> {
  const { root, say, isDryRun, except } = options;
  const { folder } = prepared.publication;
  const commands = publishingCommands(prepared.publication);
  if (!isDryRun) await checkPublishing(prepared, commands, options);

  const refusals = prepared.refusals.all;
  const list = refusals.map(({ check, problem }) => `${check}: ${problem}`);
  await writeFile(join(folder, 'REFUSALS.txt'), list.map((line) => `${line}\n`).join(''));
  const plan = commands.map((each) => `${shown(each)}\n`).join('');
  await writeFile(join(folder, 'PUBLISHING.txt'), plan);
  say(`release: everything is in ${relative(root, folder) || folder}`);
  for (const line of list) say(`refused: ${line}`);
  if (isDryRun) return verdict(refusals, except, say);
  if (refusals.length > 0) {
    say('release: nothing is published');
    return 1;
  }
  return publishAll(commands, options);
}

async function checkPublishing(
  { refusals, publication }: Prepared,
  commands: readonly Command[],
  { root, env }: ReleaseOptions,
): Promise<void> {
  const { version } = publication;
  refusals.add(
    'publishing',
    await refusals.guard('publishing', [], () => publishingRefusals(commands, { cwd: root, env })),
  );
  refusals.add('checkout', await refusals.guard('checkout', [], () => tagRefusals(root, version)));
}

function verdict(
  refusals: readonly Refusal[],
  except: ReleaseOptions['except'],
  say: ReleaseOptions['say'],
): 0 | 1 {
  const counted = refusals.filter(({ check }) => !except.has(check));
  const left = refusals.length - counted.length;
  const aside = left > 0 ? `, and ${left} that are excepted` : '';
  say(`release: a dry run, nothing is published; ${counted.length} refusals${aside}`);
  return counted.length > 0 ? 1 : 0;
}

async function publishAll(
  commands: readonly Command[],
  { root, env, say }: ReleaseOptions,
): Promise<0 | 1> {
  try {
    await publish(commands, { cwd: root, env, tell: (command) => say(`release: ${command}`) });
    return 0;
  } catch (error) {
    say(`release: ${(error as Error).message}`);
    return 1;
  }
}
