import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findKubectl, KubectlProxy } from '@chancery/testing';
import { PROFILES } from '../test/support/load/profiles.ts';
import { built, chanceryEntry } from './build.ts';
import type { Figures } from './figures.ts';
import { numberIn } from './message.ts';
import { type Pair, runPhases } from './phases.ts';
import { Speaker } from './speaker.ts';
import { kubeconfig } from './subjects/kubeconfig.ts';
import type { Subject } from './subjects.ts';
import type { Work } from './works.ts';

/** Time limit of one answer. The slowest answers are bursts to a shell loop on a shared machine. */
const TIMEOUT_MS = 90_000;

/**
 * One subject does one work. Subject and load server are new processes, so that no heap, no compiled code and
 * no connection remains from an earlier run.
 *
 * @throws Error when a process ends, when it is silent for too long, or when `deadline` aborts. All processes
 *   have ended in any case.
 */
export async function run(
  subject: Subject,
  work: Work,
  deadline: AbortSignal = new AbortController().signal,
): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-bench-'));
  const ends: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const environment = { PATH: process.env.PATH ?? '', HOME: folder };
    const server = new Speaker({
      command: process.execPath,
      words: [
        built('load-server.js'),
        work.profile,
        String(subject.alone ? 0 : work.objects),
        ...(subject.streamed ? ['streamed'] : []),
      ],
      environment,
      timeoutMs: TIMEOUT_MS,
      deadline,
    });
    ends.unshift(() => server.end());
    const direct = `http://127.0.0.1:${numberIn(await server.hear('listening'), 'port')}`;
    const url = subject.proxied ? await throughKubectl(direct, ends) : direct;
    await writeFile(join(folder, 'kubeconfig'), kubeconfig(url));
    const child = startSubject(subject, work, { url, folder, deadline });
    ends.unshift(() => child.end());
    return await runPhases({ server, child, subject, work } satisfies Pair);
  } finally {
    for (const end of ends) await end();
  }
}

interface Surroundings {
  readonly url: string;
  readonly folder: string;
  readonly deadline: AbortSignal;
}

function startSubject(
  subject: Subject,
  work: Work,
  { url, folder, deadline }: Surroundings,
): Speaker {
  const { profile: profileName, objects } = work;
  const profile = PROFILES[profileName];
  const [command, ...words] = subject.command({ url, profileName, profile, objects });
  const environment = environmentOf(subject, folder);
  return new Speaker({ command, words, environment, timeoutMs: TIMEOUT_MS, deadline });
}

/** The environment of a subject. A subject of another checkout measures the package that is built there. */
export function environmentOf(
  { entry = chanceryEntry() ?? '' }: Pick<Subject, 'entry'>,
  folder: string,
): Readonly<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    CHANCERY_ENTRY: entry,
    KUBECONFIG: join(folder, 'kubeconfig'),
    NO_PROXY: '*',
  };
}

async function throughKubectl(server: string, ends: (() => Promise<void>)[]): Promise<string> {
  const kubectl = findKubectl(process.env);
  if (kubectl === undefined) throw new Error('no kubectl: set KUBECTL, or put one on the PATH');
  const proxy = new KubectlProxy({ kubectl, server });
  ends.unshift(() => proxy.kill());
  await proxy.start();
  return proxy.url;
}
