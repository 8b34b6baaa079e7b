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
 * Images first: nothing names them yet. Then packages, which cannot be taken back, and last the release that
 * points to both.
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
        ...['publish', join(folder, file), '--provenance', '--access=public'],
        `--tag=${isPrerelease ? 'next' : 'latest'}`,
      ],
      done: { args: ['view', `${name}@${version}`, 'dist.integrity'], prints: integrity },
    })),
    {
      program: 'gh',
      args: [
        ...['release', 'create', `v${version}`, '--verify-tag', `--title=${version}`],
        ...[`--notes-file=${join(folder, 'NOTES.md')}`, ...(isPrerelease ? ['--prerelease'] : [])],
        ...paths,
      ],
    },
  ];
}

/** What this machine lacks for publishing. */
export function publishingRefusals(
  commands: readonly Command[],
  env: NodeJS.ProcessEnv,
): readonly string[] {
  const programs = new Set(commands.map(({ program }) => program));
  return [
    ...[...programs]
      .filter((program) => findProgram(program, env) === undefined)
      .map((program) => `${program} is not here`),
    ...(env.ACTIONS_ID_TOKEN_REQUEST_URL
      ? []
      : ["npm's provenance and cosign sign with the identity of a CI job, and this is none"]),
  ];
}

/**
 * Runs the commands until one fails. One that an earlier run has done is left out.
 *
 * @throws Error that says which command failed, how many were done, and why.
 */
export async function publish(commands: readonly Command[], place: PublishingPlace): Promise<void> {
  for (const [before, command] of commands.entries()) {
    await runOnce(command, place).catch((cause: Error) => {
      const rest = `${before} of ${commands.length} commands were done before`;
      throw new Error(`publishing stopped at "${shown(command)}"; ${rest}: ${cause.message}`, {
        cause,
      });
    });
  }
}

async function runOnce(command: Command, { cwd, env, tell }: PublishingPlace): Promise<void> {
  const { program, args, done } = command;
  const path = findProgram(program, env) ?? program;
  if (done !== undefined) {
    // npm fails for a version that nobody has published; if it is the registry that fails, publishing fails, too.
    const found = await output(path, done.args, { cwd, env }).then(
      (text) => text.trim(),
      () => '',
    );
    if (found === done.prints) return tell(`done before: ${shown(command)}`);
    if (found !== '') throw new Error(`"${shown({ program, args: done.args })}" has ${found}`);
  }
  tell(shown(command));
  await output(path, args, { cwd, env });
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
