/** What publishing does, as a list of commands in their order. A dry run prints it. */
import { join } from 'node:path';
import type { ReleasedImage } from './artifacts/images.ts';
import { findProgram, output } from './program.ts';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** How to see that it was done by an earlier run, which stopped later. */
  readonly done?: {
    /** Of the same program. */
    readonly args: readonly string[];
    /** What that prints then. If it prints something else, somebody has published something else. */
    readonly prints: string;
  };
}

/** A package as it is sent to npm. */
export interface PublishedArchive {
  /** From the folder of the release. */
  readonly file: string;
  readonly name: string;
  /** As npm writes it: `sha512-` and the digest in base64. */
  readonly integrity: string;
}

export interface Publication {
  /** Of the release. All paths of files are in it. */
  readonly folder: string;
  readonly version: string;
  /** `HOST/PATH`, under which every image has its name. */
  readonly registry: string;
  readonly images: readonly ReleasedImage[];
  /** Archives of npm, in the order in which they depend on each other. */
  readonly packages: readonly PublishedArchive[];
  /** What the release on GitHub has attached. */
  readonly attachments: readonly string[];
}

/** The file with the sums of all attachments, which is signed. */
export const SUMS = 'SHA256SUMS';
const SIGNATURE = `${SUMS}.sigstore.json`;

/**
 * Images first: nothing names them yet. Then packages are staged: npm keeps them from users until a maintainer has
 * approved each with a second factor. The release that points to both is last, and a draft until then.
 */
export function publishingCommands(publication: Publication): readonly Command[] {
  const { folder, version, registry, images, packages, attachments } = publication;
  const isPrerelease = version.includes('-');
  const paths = [...attachments, SUMS, SIGNATURE].map((name) => join(folder, name));
  return [
    ...images.map(({ name, layout }) => ({
      program: 'skopeo',
      args: [
        ...['copy', '--all', '--preserve-digests'],
        ...[`oci:${join(folder, layout)}`, `docker://${registry}/${name}:${version}`],
      ],
    })),
    ...images.map(({ name, digest }) => ({
      program: 'cosign',
      args: ['sign', '--yes', '--recursive', `${registry}/${name}@${digest}`],
    })),
    {
      program: 'cosign',
      args: ['sign-blob', '--yes', '--bundle', join(folder, SIGNATURE), join(folder, SUMS)],
    },
    ...packages.map(({ file, name, integrity }) => ({
      program: 'npm',
      args: [
        ...['stage', 'publish', join(folder, file), '--provenance', '--access=public'],
        `--tag=${isPrerelease ? 'next' : 'latest'}`,
      ],
      done: { args: ['view', `${name}@${version}`, 'dist.integrity'], prints: integrity },
    })),
    {
      program: 'gh',
      // A maintainer publishes the draft when the packages are approved.
      done: {
        args: ['release', 'view', `v${version}`, '--json=isDraft', '--jq=.isDraft'],
        prints: 'false',
      },
      args: [
        ...['release', 'create', `v${version}`, '--draft', '--verify-tag', `--title=${version}`],
        ...[`--notes-file=${join(folder, 'NOTES.md')}`, ...(isPrerelease ? ['--prerelease'] : [])],
        ...paths,
      ],
    },
  ];
}

/** The first npm that stages packages: https://docs.npmjs.com/staged-publishing */
const FIRST_STAGING_NPM = [11, 15] as const;

/** What this machine lacks for publishing. */
export async function publishingRefusals(
  commands: readonly Command[],
  { cwd, env }: Omit<PublishingPlace, 'tell'>,
): Promise<readonly string[]> {
  const programs = new Set(commands.map(({ program }) => program));
  const missing = [...programs].filter((program) => findProgram(program, env) === undefined);
  const npm = programs.has('npm') ? findProgram('npm', env) : undefined;
  return [
    ...missing.map((program) => `${program} is not here`),
    ...(npm === undefined ? [] : stagingRefusals(await output(npm, ['--version'], { cwd, env }))),
    ...(env.ACTIONS_ID_TOKEN_REQUEST_URL
      ? []
      : ['npm and cosign know the workflow by the identity of a CI job, and this is none']),
  ];
}

function stagingRefusals(printed: string): readonly string[] {
  const version = printed.trim();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [firstMajor, firstMinor] = FIRST_STAGING_NPM;
  const stages = major > firstMajor || (major === firstMajor && minor >= firstMinor);
  return stages ? [] : [`npm ${version} stages no packages; ${FIRST_STAGING_NPM.join('.')} does`];
}

/**
 * Runs the commands until one fails. One that an earlier run has done is left out, and nothing is run when the last one
 * was done: the images of a release must not change after it.
 *
 * @throws Error that says which command failed, how many were done, and why.
 */
export async function publish(commands: readonly Command[], place: PublishingPlace): Promise<void> {
  const last = commands.at(-1);
  let before = 0;
  const stoppingAt = async <T>(command: Command, work: () => Promise<T>): Promise<T> =>
    work().catch((cause: Error) => {
      const rest = `${before} of ${commands.length} commands were done before`;
      throw new Error(`publishing stopped at "${shown(command)}"; ${rest}: ${cause.message}`, {
        cause,
      });
    });

  if (last !== undefined && (await stoppingAt(last, () => wasDone(last, place)))) return;
  for (const command of commands) {
    await stoppingAt(command, async () => {
      if (command !== last && (await wasDone(command, place))) return;
      place.tell(shown(command));
      await output(pathOf(command, place), command.args, place);
    });
    before += 1;
  }
}

/** @throws Error when something else was done in its place. */
async function wasDone(command: Command, place: PublishingPlace): Promise<boolean> {
  const { program, done } = command;
  if (done === undefined) return false;
  // Both npm and gh fail for what nobody has published; if it is the server that fails, publishing fails, too.
  const found = await output(pathOf(command, place), done.args, place).then(
    (text) => text.trim(),
    () => '',
  );
  if (found === done.prints) {
    place.tell(`done before: ${shown(command)}`);
    return true;
  }
  if (found === '') return false;
  throw new Error(`"${shown({ program, args: done.args })}" has ${found}, not ${done.prints}`);
}

function pathOf({ program }: Command, { env }: PublishingPlace): string {
  return findProgram(program, env) ?? program;
}

export interface PublishingPlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Hears of each command before it runs. */
  readonly tell: (command: string) => void;
}

export function shown({ program, args }: Pick<Command, 'program' | 'args'>): string {
  return [program, ...args]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`))
    .join(' ');
}
