/** What of credentials takes kubectl a minute, or five, to notice: measured, each in a Pod of its own. */
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '@chancery/testing';
import { NAMESPACE } from './support/copier.ts';
import { Pod, USER } from './support/pod.ts';

/** What was seen: figures, and whether it is as it should be. */
export interface Finding {
  readonly isGood: boolean;
  readonly [figure: string]: unknown;
}

/** kubectl keeps a token for 60 s, less 10 s of leeway; a busy machine may add some. */
const REREAD_WITHIN_MS = 60_000;
const PATIENCE = { timeoutMs: 2 * REREAD_WITHIN_MS };
const WRITE_EVERY_MS = 1_000;

async function prepare(kubectl: string): Promise<Pod> {
  const pod = await Pod.prepare({ kubectl });
  const key = { name: 'key', namespace: NAMESPACE };
  pod.server.create({ apiVersion: 'v1', kind: 'Secret', metadata: key });
  return pod;
}

const BOUND = { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'key' } } as const;

/** Changes the source once a second until `signal` aborts. @returns how often. */
async function keepWriting(pod: Pod, signal: AbortSignal): Promise<number> {
  for (let count = 1; ; count++) {
    pod.put('a', `${count}`);
    if (signal.aborted) return count;
    await setTimeout(WRITE_EVERY_MS);
  }
}

/** What of the operator's work is not as it should be in the end; nothing, one hopes. */
async function lost(pod: Pod): Promise<string | undefined> {
  // A source that has failed for minutes looks again within half a minute.
  return pod.untilAllIsWell(PATIENCE).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

const statuses = async (pod: Pod, count: number, everyMs: number): Promise<readonly number[]> => {
  const seen: number[] = [];
  for (let n = 0; n < count; n++) {
    seen.push((await fetch(`${pod.proxy.url}/version`)).status);
    await setTimeout(everyMs);
  }
  return seen;
};

const seconds = (sinceMs: number): number => Math.round((performance.now() - sinceMs) / 100) / 10;

/** The kubelet puts a new token down while the old one is good: nobody notices. */
export async function rotated(kubectl: string): Promise<Finding> {
  await using pod = await prepare(kubectl);
  await pod.proxy.start();
  const operator = pod.startOperator();
  pod.put('a', '0');
  await pod.untilAllIsWell();
  const stop = new AbortController();
  const writing = keepWriting(pod, stop.signal);

  const swappedAt = performance.now();
  const token = pod.mount();
  const isUsed = (): boolean =>
    pod.server.requests.at(-1)?.headers.authorization === `Bearer ${token}`;
  await eventually(isUsed, PATIENCE);
  const usedAfterSeconds = seconds(swappedAt);
  stop.abort();
  const written = await writing;

  const complaints = operator.log.filter(({ level }) => level !== 'info' && level !== 'debug');
  const refused = pod.server.requests.filter(({ user }) => user !== USER).length;
  const loss = await lost(pod);
  const isGood = complaints.length === 0 && refused === 0 && loss === undefined;
  return {
    isGood: isGood && usedAfterSeconds * 1_000 <= REREAD_WITHIN_MS,
    usedAfterSeconds,
    written,
    refused,
    loss,
  };
}

/** The token ends at once, and a new one is there: 401 until kubectl reads the file again by itself. */
export async function revoked(kubectl: string): Promise<Finding> {
  await using pod = await prepare(kubectl);
  pod.mount(BOUND);
  await pod.proxy.start();
  const operator = pod.startOperator();
  pod.put('a', '0');
  await pod.untilAllIsWell();

  pod.mount();
  pod.server.delete('v1', 'Secret', NAMESPACE, 'key');
  const revokedAt = performance.now();
  pod.put('a', '1');
  let [status] = await statuses(pod, 1, 1_000);
  while (status === 401) [status] = await statuses(pod, 1, 1_000);
  const acceptedAfterSeconds = seconds(revokedAt);
  const isThere = (): boolean => pod.copy('a') === '1';
  await eventually(isThere, PATIENCE);
  const doneAfterSeconds = seconds(revokedAt); // the key has its own back-off, which has grown meanwhile

  const unauthorized = pod.server.requests.filter(({ user }) => user === undefined).length;
  const named = operator.log.some(({ fields }) =>
    String((fields.err as Error | undefined)?.message).includes('the ambassador’s token'),
  );
  const commits = pod.commits('a');
  const loss = await lost(pod);
  const isGood = named && commits.length === 2 && loss === undefined;
  return {
    isGood: isGood && status === 200 && acceptedAfterSeconds * 1_000 <= REREAD_WITHIN_MS,
    acceptedAfterSeconds,
    doneAfterSeconds,
    unauthorized,
    named,
    commits,
    loss,
  };
}

/** The token is taken away, or emptied, for longer than kubectl keeps it: the old one serves on. */
export async function taken(kubectl: string, token: '' | undefined): Promise<Finding> {
  await using pod = await prepare(kubectl);
  await pod.proxy.start();
  pod.startOperator();
  pod.put('a', '0');
  await pod.untilAllIsWell();

  pod.volume.write({ token });
  const answers = await statuses(pod, 70, 1_000);
  const complaints = pod.proxy.complaints.split('\n').filter((line) => /token/i.test(line));
  const backAt = performance.now();
  const fresh = pod.mount();
  await eventually(async () => {
    await fetch(`${pod.proxy.url}/version`).then((answer) => answer.text());
    return pod.server.requests.at(-1)?.headers.authorization === `Bearer ${fresh}`;
  }, PATIENCE);
  const freshAfterSeconds = seconds(backAt);

  pod.put('a', '1');
  const loss = await lost(pod);
  const failed = answers.filter((status) => status !== 200).length;
  const isGood = failed === 0 && complaints.length > 0 && loss === undefined;
  const complaint = complaints[0]?.replace(/^.*?\] /, '');
  return { isGood, answers: answers.length, failed, complaint, freshAfterSeconds, loss };
}

/** Another CA: how long new connections fail, and whether a restart of the proxy ends that. */
export async function anotherCa(kubectl: string, forSeconds: number): Promise<Finding> {
  await using pod = await prepare(kubectl);
  await pod.proxy.start();
  const operator = pod.startOperator();
  pod.put('a', '0');
  await pod.untilAllIsWell();

  pod.server.secure.renewAuthority();
  pod.volume.write({ 'ca.crt': pod.server.secure.ca });
  pod.server.closeWatches('clean');
  pod.server.secure.goAway();
  const changedAt = performance.now();
  pod.put('a', '1');
  let failed = 0;
  let healedAfterSeconds: number | undefined;
  while (healedAfterSeconds === undefined && seconds(changedAt) < forSeconds) {
    const [status = 0] = await statuses(pod, 1, 1_000);
    if (status === 200) healedAfterSeconds = seconds(changedAt);
    else failed++;
  }
  const failure = operator.log.find(({ fields }) => fields.err !== undefined)?.fields.err;
  const watchedSeconds = seconds(changedAt);
  if (healedAfterSeconds === undefined) await pod.proxy.restart();

  const loss = await lost(pod);
  const told = String((failure as Error | undefined)?.message);
  const commits = pod.commits('a');
  const isGood = /x509.*ca\.crt/.test(told) && commits.length === 2 && loss === undefined;
  const figures = { failed, watchedSeconds, healedByItself: healedAfterSeconds ?? false };
  return { isGood, ...figures, told, commits, loss };
}

/** An API server that freezes under a watch: how long until kubectl cuts it, and nothing is lost. */
export async function frozen(
  kubectl: string,
  environment: Readonly<Record<string, string>>,
  withinSeconds: number,
): Promise<Finding> {
  await using pod = await Pod.prepare({ kubectl, environment });
  await pod.proxy.start();
  const operator = pod.startOperator();
  pod.put('a', '0');
  await pod.untilAllIsWell();

  pod.line.freeze();
  pod.put('a', '1');
  const frozenAt = performance.now();
  const noticed = await eventually(
    () => operator.log.find(({ fields }) => fields.err !== undefined),
    {
      timeoutMs: 120_000,
    },
  );
  const noticedAfterSeconds = seconds(frozenAt);
  pod.line.thaw();
  pod.line.cut();
  const loss = await lost(pod);

  const { code, layer } = noticed.fields.err as { code: string; layer: string };
  const commits = pod.commits('a');
  const isGood = layer === 'ambassador' && commits.length === 2 && loss === undefined;
  return {
    isGood: isGood && noticedAfterSeconds <= withinSeconds,
    noticedAfterSeconds,
    code,
    commits,
    loss,
  };
}
