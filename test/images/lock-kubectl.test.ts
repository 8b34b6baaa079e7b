/** The lock of the ambassador's kubectl, written from a server that publishes as Kubernetes does. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import {
  ARCHITECTURES,
  architectureOf,
  type KubectlLock,
  LOCK_FILES,
  type LockFiles,
  readLock,
  writeLock,
} from '../../proxy/kubectl-lock.ts';
import { type Places, publishedKubectl } from '../../proxy/published-kubectl.ts';

const DATE = '2027-01-02';
const SUMS = { amd64: 'a', arm64: 'b', ppc64le: 'c', s390x: 'd' } as const;

interface Published {
  readonly index?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly checksum?: string;
}

function indexOf(architectures: readonly string[]): string {
  return JSON.stringify({
    manifests: architectures.map((architecture) => ({ platform: { architecture } })),
  });
}

/** Publishes v1.38.2: checksum files, one letter 64 times, and an index. */
async function startPublisher(published: Published = {}): Promise<Places> {
  const { index = indexOf(ARCHITECTURES), headers = {}, checksum } = published;
  const server = createServer((request, response) => {
    const [, architecture = ''] =
      /^\/release\/v1\.38\.2\/bin\/linux\/(\w+)\/kubectl\.sha256$/.exec(request.url ?? '') ?? [];
    if (architecture in SUMS) {
      response.end(checksum ?? SUMS[architecture as keyof typeof SUMS].repeat(64));
    } else if (request.url === '/v2/kubectl/manifests/v1.38.2') {
      response.writeHead(200, headers).end(index);
    } else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { downloads: url, registry: url };
}

/** Copies of the files of this repository, for the test to write. */
async function copies(): Promise<LockFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-lock-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const lock = join(folder, 'kubectl.lock.json');
  const dockerfile = join(folder, 'Dockerfile.proxy');
  await copyFile(LOCK_FILES.lock, lock);
  await copyFile(LOCK_FILES.dockerfile, dockerfile);
  return { lock: pathToFileURL(lock), dockerfile: pathToFileURL(dockerfile) };
}

test('the lock file has the published checksum for each architecture, and the digest of the index', async () => {
  const places = await startPublisher();

  const lock = await publishedKubectl('v1.38.2', { date: DATE, places });

  const digest = createHash('sha256').update(indexOf(ARCHITECTURES)).digest('hex');
  expect(lock).toEqual({
    version: 'v1.38.2',
    date: DATE,
    image: 'registry.k8s.io/kubectl',
    digest: `sha256:${digest}`,
    binaries: Object.fromEntries(Object.entries(SUMS).map(([name, sum]) => [name, sum.repeat(64)])),
    sources: [places.downloads, places.registry],
  });
});

test('writing the lock file changes exactly two lines of the Dockerfile', async () => {
  const places = await startPublisher();
  const files = await copies();
  const before = (await readFile(files.dockerfile, 'utf8')).split('\n');

  const lock = await publishedKubectl('v1.38.2', { date: DATE, places });
  await writeLock(lock, files);

  const after = (await readFile(files.dockerfile, 'utf8')).split('\n');
  expect(await readLock(files)).toEqual(lock);
  expect(after.filter((line, at) => line !== before[at])).toEqual([
    'ARG KUBECTL_VERSION=v1.38.2',
    `ARG KUBECTL_DIGEST=${lock.digest}`,
  ]);
});

test.each([
  '1.38.2',
  'latest',
  'v1.38',
  'v1.38.2-rc.1',
  'v1.38.2/../..',
])('kubectl can only be pinned to a release version, not to %s', async (version) => {
  const places = await startPublisher();

  const locking = publishedKubectl(version, { date: DATE, places });

  await expect(locking).rejects.toThrow(`expected a release such as v1.37.1, got ${version}`);
});

test('kubectl cannot be pinned to a version that does not notice a rotated CA', async () => {
  const places = await startPublisher();

  const locking = publishedKubectl('v1.35.9', { date: DATE, places });

  await expect(locking).rejects.toThrow('expected v1.36.0 or later, got v1.35.9');
});

test.each<[string, string, Published]>([
  ['a page instead of a checksum', 'no SHA-256 at', { checksum: '<html>not found</html>' }],
  [
    'an index without an architecture',
    'has no ppc64le, s390x',
    { index: indexOf(['amd64', 'arm64']) },
  ],
  [
    'an index that does not match its digest',
    'says sha256:0 and sends sha256:',
    {
      headers: { 'docker-content-digest': 'sha256:0' },
    },
  ],
])('kubectl cannot be pinned if the download server sends %s', async (_name, message, published) => {
  const places = await startPublisher(published);

  const locking = publishedKubectl('v1.38.2', { date: DATE, places });

  await expect(locking).rejects.toThrow(message);
});

test('for an unpublished version the error contains the requested address', async () => {
  const places = await startPublisher();

  const locking = publishedKubectl('v1.38.3', { date: DATE, places });

  await expect(locking).rejects.toThrow(/GET http:.*\/release\/v1\.38\.3\/.* answers 404/);
});

test('if the download server is unreachable, the error contains the address and the reason', async () => {
  const places = { ...(await startPublisher()), downloads: 'http://127.0.0.1:1' };

  const locking = publishedKubectl('v1.38.2', { date: DATE, places });

  await expect(locking).rejects.toThrow(
    /^GET http:\/\/127\.0\.0\.1:1\/release\/.* has no answer: .*\S/,
  );
});

test("the architecture of a pinned kubectl is recognised by the file's checksum", async () => {
  const { lock } = await copies();
  const file = fileURLToPath(lock);
  const checksum = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  const locked: KubectlLock = { ...(await readLock()), binaries: { s390x: checksum } };

  expect(await architectureOf(file, locked)).toBe('s390x');
  await expect(architectureOf(file, await readLock())).rejects.toThrow(
    `${file} (sha256 ${checksum}) is no kubectl of the lock`,
  );
});

test('for wrong arguments the command prints in one line what it expects, and writes nothing', async () => {
  const command = promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('../../proxy/lock-kubectl.ts', import.meta.url)),
  ]);

  await expect(command).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'kubectl-lock: expected one version, such as v1.37.1\n',
  });
});
