import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { DryRunSink, DryWrite } from '../../client/interceptors/dry-run.ts';
import { isMapping } from '../../core/mapping.ts';
import { counted } from '../../core/text/counted.ts';
import { unifiedDiff } from '../../core/text/unified-diff.ts';
import { visibleText } from '../../core/text/visible-text.ts';
import { formatYaml } from '../../core/yaml.ts';
import { type KubernetesObject, objectKey } from '../../model/object.ts';
import { resourceName } from '../../model/resource.ts';

interface DryRunReportOptions {
  readonly out: Writable;
  /** Colour the output with terminal escape sequences. */
  readonly colour: boolean;
}

/**
 * Prints the writes that a dry run would make. Each diff of an object is printed once, in the order
 * of the writes.
 */
export class DryRunReport {
  readonly #options: DryRunReportOptions;
  readonly #printed = new Set<string>();
  readonly #objects = new Set<string>();
  /** Refusals that were printed. A reconcile that fails with one of them is not reported again. */
  readonly #refusals = new WeakSet<Error>();
  #writes = 0;
  #refused = 0;

  constructor(options: DryRunReportOptions) {
    this.#options = options;
  }

  /** Returns the sink that receives the writes of one controller. */
  sinkOf(controller: string): DryRunSink {
    return {
      wrote: (write) => this.#wrote(write, controller),
      event: (event) => this.#print([eventLine(event)]),
    };
  }

  /** True when `error`, or one of its causes, is a refusal that was printed. */
  isPrinted(error: unknown): boolean {
    for (let each = error; each instanceof Error; each = each.cause) {
      if (this.#refusals.has(each)) return true;
    }
    return false;
  }

  /**
   * A summary of the run.
   *
   * @param runnables - number of runnables that ran besides the controllers.
   */
  summary(controllers: number, runnables: number = 0): string {
    const refused = this.#refused === 0 ? '' : `, ${counted(this.#refused, 'refused write')}`;
    const workers = [
      ...(controllers > 0 || runnables === 0 ? [counted(controllers, 'controller')] : []),
      ...(runnables > 0 ? [counted(runnables, 'runnable')] : []),
    ].join(' and ');
    return (
      `${counted(this.#writes, 'write')} to ${counted(this.#objects.size, 'object')} in ` +
      `${workers}${refused}; nothing was written`
    );
  }

  #wrote(write: DryWrite, controller: string): void {
    const { refusal } = write;
    const heading = `${headingOf(write)} by ${controller}`;
    if (refusal !== undefined) {
      this.#refusals.add(refusal);
      if (this.#print([`# refused: ${heading}: ${oneLine(refusal.message)}`])) this.#refused++;
      return;
    }
    const hunks = hunksOf(write);
    if (hunks === undefined) return;
    if (!this.#print([`# ${heading}`, ...notesOf(write), ...hunks])) return;
    this.#writes++;
    this.#objects.add(nameOf(write));
  }

  /**
   * Prints lines, unless the same lines were printed before.
   *
   * @returns false when the same lines were printed before, ignoring timestamps.
   */
  #print(lines: readonly string[]): boolean {
    const identity = lines.join('\n').replace(RFC_3339, 'TIME');
    if (this.#printed.has(identity)) return false;
    this.#printed.add(identity);
    const { out, colour } = this.#options;
    const visible = lines.map(visibleText);
    out.write(`${(colour ? visible.map(coloured) : visible).join('\n')}\n`);
    return true;
  }
}

const RFC_3339 = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?Z/g;

/**
 * The diff of a write.
 *
 * @returns undefined when the write changes nothing.
 */
function hunksOf(write: DryWrite): readonly string[] | undefined {
  const { before, after, verb, resource } = write;
  if (verb === 'delete' || verb === 'evict') {
    return [`--- ${nameOf(write)}`, '+++ /dev/null', ...objectDiff(identity(before), undefined)];
  }
  // The response of `scale`, `token` or `binding` is another object, and may contain a secret.
  if (after !== undefined && after.kind !== resource.kind) return [];
  const hunks = shownDiff(before, after);
  if (hunks.length === 0) return undefined;
  return [
    before === undefined ? '--- /dev/null' : `--- ${nameOf(write)}`,
    `+++ ${nameOf(write)}`,
    ...hunks,
  ];
}

/**
 * The diff, or a note when the diff cannot be created. The function does not throw, because the
 * reconcile must continue.
 */
function shownDiff(
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): readonly string[] {
  try {
    return objectDiff(before, after);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return ['# cannot be shown: the object is nested too deeply'];
  }
}

function notesOf({ before, unread, verb, options }: DryWrite): readonly string[] {
  const notes: string[] = [];
  if (options !== undefined) notes.push(`# with ${JSON.stringify(options)}`);
  if (unread !== undefined) notes.push(`# as it is now cannot be read: ${oneLine(unread.message)}`);
  const { finalizers = [] } = before?.metadata ?? {};
  if (verb === 'delete' && finalizers.length > 0) {
    notes.push(`# stays until its finalizers are removed: ${finalizers.join(', ')}`);
  }
  return notes;
}

/** An object with only the fields that identify it. For a deleted object, these fields are enough. */
function identity(object: KubernetesObject | undefined): KubernetesObject | undefined {
  if (object === undefined) return undefined;
  const { apiVersion, kind, metadata } = object;
  const { name, namespace, uid = '' } = metadata;
  return { apiVersion, kind, metadata: { name, ...(namespace && { namespace }), uid } };
}

function headingOf(write: DryWrite): string {
  const { verb, resource, subresource, target } = write;
  const part = subresource === undefined ? '' : `/${subresource}`;
  return `${verb} ${resourceName(resource)}${part} ${objectKey(target.namespace, target.name)}`;
}

function nameOf({ resource, target }: DryWrite): string {
  return `${resourceName(resource)} ${objectKey(target.namespace, target.name)}`;
}

function eventLine(event: KubernetesObject): string {
  const { type, reason, note, message, regarding, involvedObject } = event as KubernetesObject &
    Readonly<Record<string, unknown>>;
  const about = (regarding ?? involvedObject ?? {}) as Readonly<Record<string, string>>;
  const name = objectKey(about.namespace, about.name ?? '');
  return `# event: ${type} ${reason} ${about.kind} ${name}: ${oneLine(String(note ?? message ?? ''))}`;
}

/**
 * A message on one line, without control characters that a terminal would interpret. The message
 * may come from anyone.
 */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ');
}

function coloured(line: string): string {
  const style = STYLES.find(([start]) => line.startsWith(start))?.[1];
  return style === undefined ? line : styleText(style, line, { validateStream: false });
}

const STYLES = [
  ['# refused', 'yellow'],
  ['#', 'bold'],
  ['--- ', 'bold'],
  ['+++ ', 'bold'],
  ['@@', 'cyan'],
  ['-', 'red'],
  ['+', 'green'],
] as const;

/** Maximum length of a printed line. People cannot read a certificate or a script on one line. */
const MAX_LINE_LENGTH = 500;

/** Metadata that changes with every write, and is omitted. */
const LEFT_OUT = [
  'managedFields',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;

/**
 * The change of an object as the lines of a unified diff of its YAML. Empty when nothing changes.
 * Metadata that changes with every write, such as resourceVersion and managedFields, is omitted.
 * Values of a Secret are replaced by their lengths and whether they changed. The same applies to
 * annotations that contain a Secret, such as the annotation of `kubectl apply`.
 *
 * @param before - the object before the change; undefined when the object is created.
 * @param after - the object after the change; undefined when the object is deleted.
 */
function objectDiff(
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): readonly string[] {
  const shownBefore = before && shown(before, undefined, false);
  const shownAfter = after && shown(after, before, before === undefined);
  return unifiedDiff(yamlOf(shownBefore), yamlOf(shownAfter)).map(cut);
}

function yamlOf(object: object | undefined): string {
  return object === undefined ? '' : formatYaml(object);
}

function cut(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  return `${line.slice(0, MAX_LINE_LENGTH)}… (${line.length} characters)`;
}

/**
 * One of the two states of an object, as the diff contains it. `other` is the state on the other
 * side of the diff.
 *
 * @param created - true when `object` is new.
 */
function shown(
  object: KubernetesObject,
  other: KubernetesObject | undefined,
  created: boolean,
): object {
  const { apiVersion, kind, metadata, ...rest } = object;
  const secret = isSecret(object);
  return {
    apiVersion,
    kind,
    metadata: shownMetadata(metadata, other?.metadata, { secret, created }),
    ...(secret ? maskedValues(rest, other) : rest),
  };
}

function shownMetadata(
  metadata: KubernetesObject['metadata'],
  other: KubernetesObject['metadata'] | undefined,
  { secret, created }: { readonly secret: boolean; readonly created: boolean },
): object {
  const kept: Record<string, unknown> = { ...metadata };
  for (const name of LEFT_OUT) delete kept[name];
  // The server generates these values, and they differ each time.
  if (created) delete kept.uid;
  if (created && metadata.generateName) kept.name = `${metadata.generateName}*`;
  if (metadata.annotations !== undefined) {
    kept.annotations = mapValues(metadata.annotations, (name, value) =>
      holdsSecret(name, value, secret)
        ? masked(bytesOf('stringData', value), bytesOf('stringData', other?.annotations?.[name]))
        : value,
    );
  }
  return kept;
}

function maskedValues(
  fields: Readonly<Record<string, unknown>>,
  other: KubernetesObject | undefined,
): object {
  const kept = { ...fields };
  for (const field of ['data', 'stringData'] as const) {
    const values = fields[field];
    if (!isMapping(values)) continue;
    const others = (other as Readonly<Record<string, unknown>> | undefined)?.[field];
    kept[field] = mapValues(values, (key, value) =>
      masked(bytesOf(field, value), isMapping(others) ? bytesOf(field, others[key]) : undefined),
    );
  }
  return kept;
}

function bytesOf(field: 'data' | 'stringData', value: unknown): Buffer | undefined {
  if (value === undefined) return undefined;
  return Buffer.from(String(value), field === 'data' ? 'base64' : 'utf8');
}

/** A masked value: `*** (8 bytes)`, and whether the value changed. */
function masked(value: Buffer | undefined, before: Buffer | undefined): string {
  const length = value?.length ?? 0;
  const changed = before !== undefined && value?.equals(before) !== true;
  return `*** (${length} ${length === 1 ? 'byte' : 'bytes'}${changed ? ', changed' : ''})`;
}

function isSecret({ apiVersion, kind }: { apiVersion?: unknown; kind?: unknown }): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

/** True for an annotation in which a tool stores a whole Secret as JSON. */
function holdsSecret(name: string, value: string, ofSecret: boolean): boolean {
  if (ofSecret && /last-applied/.test(name)) return true;
  return /"kind"\s*:\s*"Secret"/.test(value) || (ofSecret && /^\s*[{[]/.test(value));
}

function mapValues<V, W>(
  record: Readonly<Record<string, V>>,
  map: (key: string, value: V) => W,
): Readonly<Record<string, W>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(key, value)]));
}
