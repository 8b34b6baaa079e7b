/**
 * A registry of npm on the loopback address: our packages from their archives, and the packages of others as they are
 * installed here. With it the commands of our documents and messages work as they are written, and nothing else is asked.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALLED = fileURLToPath(new URL('../../node_modules/', import.meta.url));

export interface LocalRegistry {
  /** Variables that let npm ask this registry alone, and keep what it gets apart. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

interface Archive {
  readonly manifest: { readonly name: string; readonly version: string };
  readonly bytes: Buffer;
}

/** @param ours - paths of archives, as `npm pack` writes them. */
export async function startRegistry(ours: readonly string[]): Promise<LocalRegistry> {
  const work = await mkdtemp(join(tmpdir(), 'chancery-registry-'));
  const archives = new Map<string, Archive | undefined>();
  for (const path of ours) {
    const archive = await readArchive(path);
    archives.set(archive.manifest.name, archive);
  }
  const archiveOf = async (name: string): Promise<Archive | undefined> => {
    if (!archives.has(name)) archives.set(name, await installedArchive(name, work));
    return archives.get(name);
  };
  const server = createServer((request, response) => {
    answer(request.url ?? '/', archiveOf, response).catch((error: Error) => {
      response.writeHead(500).end(error.message);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    environment: {
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_cache: join(work, 'cache'),
    },
    async close() {
      server.closeAllConnections();
      await promisify(server.close.bind(server))();
      await rm(work, { recursive: true, force: true });
    },
  };
}

/** `/NAME` is what the registry knows of a package, `/-/NAME` its archive. The name of a scope ends with `%2f`. */
async function answer(
  url: string,
  archiveOf: (name: string) => Promise<Archive | undefined>,
  response: ServerResponse,
): Promise<void> {
  const [, isArchive, encoded = ''] = /^\/(-\/)?(.+)$/.exec(url) ?? [];
  const archive = await archiveOf(decodeURIComponent(encoded));
  if (archive === undefined) {
    response.writeHead(404).end('{}');
  } else if (isArchive !== undefined) {
    response.end(archive.bytes);
  } else {
    const { manifest, bytes } = archive;
    const { name, version } = manifest;
    const sha512 = createHash('sha512').update(bytes).digest('base64');
    const tarball = `http://${response.req.headers.host}/-/${encoded}`;
    const dist = { tarball, integrity: `sha512-${sha512}` };
    const versions = { [version]: { ...manifest, dist } };
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  }
}

/** An archive of the package as it is installed here. Undefined: it is not. */
async function installedArchive(name: string, work: string): Promise<Archive | undefined> {
  const folder = join(INSTALLED, name);
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const archive = join(work, `${name.replace('/', '+')}.tgz`);
  const names = ['--exclude=./node_modules', '--transform=s,^\\.,package,'];
  await run('tar', ['--create', '--gzip', '--file', archive, ...names, '-C', folder, '.']);
  return readArchive(archive);
}

async function readArchive(path: string): Promise<Archive> {
  const { stdout } = await run('tar', ['-xzOf', path, 'package/package.json']);
  return { manifest: JSON.parse(stdout), bytes: await readFile(path) };
}
