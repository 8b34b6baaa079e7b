import { readFile } from 'node:fs/promises';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import type { CacheSize } from '../../generate/lint/cache-memory.ts';
import type { ProcessStatus } from '../../manager/status-page/process-status.ts';

type SourceStatus = ProcessStatus['sources'][number];

/** What of `/status.json` is read. A person who writes the file leaves the rest out: it counts as synced. */
type ShownSource = Pick<SourceStatus, 'resource' | 'objects' | 'bytes'> &
  Partial<Pick<SourceStatus, 'synced' | 'state'>>;

const SAVE_IT = 'save it from the running operator: curl -s 127.0.0.1:8081/status.json > FILE';

/**
 * What the caches of an operator hold, from a file with its `/status.json`: the sum of all sources, so
 * that a resource in several namespaces counts with each of them.
 *
 * @throws ConfigurationError `CONFIG` that says what to do: for a file that cannot be read or is no
 *   status page, one without sources, and one with a source whose first list was not there yet.
 */
export async function readCacheSize(file: string): Promise<CacheSize> {
  const unusable = (problem: string, todo: string, cause?: unknown): ConfigurationError =>
    new ConfigurationError(`--status ${file} ${problem}; ${todo}`, { cause });
  if (/^https?:\/\//.test(file)) {
    throw unusable('is a URL, and lint opens no connection', `curl -s ${file} > FILE`);
  }
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unusable(`cannot be read: ${messageOf(error)}`, SAVE_IT, error);
  });
  const sources = sourcesIn(text);
  if (sources === undefined) throw unusable('is no status page', SAVE_IT);
  if (sources.length === 0) {
    throw unusable('shows no source', 'take it from a replica that watches, such as the leader');
  }
  const early = sources.find(({ synced = true, state }) => !synced && state !== 'unserved');
  if (early !== undefined) {
    throw unusable(
      `shows ${early.resource} before its first list`,
      'take it when /readyz answers ok',
    );
  }
  return sources.reduce<CacheSize>(
    (sum, { objects, bytes }) => ({ objects: sum.objects + objects, bytes: sum.bytes + bytes }),
    { objects: 0, bytes: 0 },
  );
}

/** Undefined for text that is no status page. */
function sourcesIn(text: string): readonly ShownSource[] | undefined {
  let status: unknown;
  try {
    status = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { sources } = (status ?? {}) as { readonly sources?: unknown };
  return Array.isArray(sources) && sources.every(isShownSource) ? sources : undefined;
}

function isShownSource(value: unknown): value is ShownSource {
  const { resource, objects, bytes } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof resource === 'string' && isCount(objects) && isCount(bytes);
}

function isCount(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}
