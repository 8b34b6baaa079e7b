import { readFile } from 'node:fs/promises';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { counted } from '../../core/text/counted.ts';
import type { CacheSize } from '../../generate/lint/cache-memory.ts';
import type { Diagnostic } from '../../generate/lint/diagnostic.ts';
import { lint } from '../../generate/lint/lint.ts';
import type { ProcessStatus } from '../../manager/status-page/process-status.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { type ManifestDocument, readManifests } from '../files/manifest-files.ts';
import { LineWriter } from '../line-writer.ts';
import type { LINT } from './table.ts';

const FORMATS: Readonly<Record<'json' | 'text', (diagnostic: Diagnostic) => string>> = {
  json: (diagnostic) => JSON.stringify(diagnostic),
  text: ({ rule, level, object, message }) => oneLine(`${level}: ${object} ${message} [${rule}]`),
};

/** `chancery lint`: finds problems in rendered manifests. */
export async function lintFiles(
  { values: { output, status }, words }: GivenTo<typeof LINT>,
  io: Io,
): Promise<ExitCode> {
  if (words.length === 0) {
    throw new ConfigurationError('expected a FILE, or "-" for standard input; got none');
  }
  const caches = status === undefined ? undefined : await readCacheSize(status);
  const documents = await readManifests(words, io.stdin, '');
  const objects = documents.flatMap(objectsOf);
  const diagnostics = lint(objects, { caches });
  using lines = new LineWriter(io.stdout, io.signal);
  await lines.write(diagnostics.map(FORMATS[output]));
  const errors = diagnostics.filter(({ level }) => level === 'error').length;
  const warnings = diagnostics.length - errors;
  const found = `${counted(errors, 'error')} and ${counted(warnings, 'warning')}`;
  io.stderr.write(`chancery lint: ${found} in ${counted(objects.length, 'object')}\n`);
  if (caches !== undefined) io.stderr.write(`chancery lint: ${heldBy(caches)}\n`);
  return errors > 0 ? 1 : 0;
}

/** The objects in a document. `kubectl get -o yaml` writes them as a List. */
function objectsOf({ file, value }: ManifestDocument): readonly KubernetesObject[] {
  const { apiVersion, kind, items } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (String(apiVersion).startsWith('kustomize.config.k8s.io/')) {
    throw new ConfigurationError(
      `${file} is a ${kind} that is not rendered; pipe it: kubectl kustomize FOLDER | chancery lint -`,
    );
  }
  if (kind === 'List' && Array.isArray(items)) return items as KubernetesObject[];
  return [value as KubernetesObject];
}

/**
 * A line with the cache size that was compared with the memory limit. The line is printed even when
 * there is no problem.
 */
function heldBy(caches: CacheSize): string {
  const held = `${counted(caches.objects, 'object')} of ${(caches.bytes / 1e6).toFixed(1)} MB`;
  return `the caches of --status hold ${held}`;
}

/**
 * A text without control characters. Names in a manifest may contain control characters that a
 * terminal would interpret.
 */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
}

type SourceStatus = ProcessStatus['sources'][number];

/**
 * The fields of `/status.json` that are read. A file written by hand may omit the optional fields.
 * A source without them counts as synced.
 */
type ShownSource = Pick<SourceStatus, 'resource' | 'objects' | 'bytes'> &
  Partial<Pick<SourceStatus, 'synced' | 'state'>>;

const SAVE_IT = 'save it from the running operator: curl -s 127.0.0.1:8081/status.json > FILE';

/**
 * The size of an operator's caches, from a file with its `/status.json`. It is the sum over all
 * sources, so a resource that is watched in several namespaces counts once per namespace.
 *
 * @throws ConfigurationError `CONFIG` with a remedy, when the file cannot be read, is not a status
 * page, has no sources, or has a source whose first list was not complete.
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

/** The sources in a status page. Undefined when the text is not a status page. */
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
