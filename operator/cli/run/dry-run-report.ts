import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { DryRunSink, DryWrite } from '../../client/interceptors/dry-run.ts';
import { objectDiff } from '../../client/object-diff.ts';
import { visibleText } from '../../core/visible-text.ts';
import { type KubernetesObject, objectKey } from '../../model/object.ts';
import { resourceName } from '../../model/resource.ts';

interface DryRunReportOptions {
  readonly out: Writable;
  /** Escape sequences for a terminal. */
  readonly colour: boolean;
}

/** Prints what a dry run would write: once for each object and diff, in the order of the writes. */
export class DryRunReport {
  readonly #options: DryRunReportOptions;
  readonly #printed = new Set<string>();
  readonly #objects = new Set<string>();
  /** Errors that are told of; a reconcile that fails with one of them needs no other word. */
  readonly #refusals = new WeakSet<Error>();
  #writes = 0;
  #refused = 0;

  constructor(options: DryRunReportOptions) {
    this.#options = options;
  }

  /** What the writes of one controller are told to. */
  sinkOf(controller: string): DryRunSink {
    return {
      wrote: (write) => this.#wrote(write, controller),
      event: (event) => this.#print([eventLine(event)]),
    };
  }

  /** True when `error`, or what caused it, is a refusal that was printed. */
  isPrinted(error: unknown): boolean {
    for (let each = error; each instanceof Error; each = each.cause) {
      if (this.#refusals.has(each)) return true;
    }
    return false;
  }

  /** @param controllers - how many there are. */
  summary(controllers: number): string {
    const refused = this.#refused === 0 ? '' : `, ${counted(this.#refused, 'refused write')}`;
    return (
      `${counted(this.#writes, 'write')} to ${counted(this.#objects.size, 'object')} in ` +
      `${counted(controllers, 'controller')}${refused}; nothing was written`
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

  /** @returns false for what was printed before, but for the time in it. */
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

/** @returns undefined when the write changes nothing. */
function hunksOf(write: DryWrite): readonly string[] | undefined {
  const { before, after, verb, resource } = write;
  if (verb === 'delete' || verb === 'evict') {
    return [`--- ${nameOf(write)}`, '+++ /dev/null', ...objectDiff(identity(before), undefined)];
  }
  // The answer of `scale`, `token`, `binding`: not the object, and perhaps a secret.
  if (after !== undefined && after.kind !== resource.kind) return [];
  const hunks = shownDiff(before, after);
  if (hunks.length === 0) return undefined;
  return [
    before === undefined ? '--- /dev/null' : `--- ${nameOf(write)}`,
    `+++ ${nameOf(write)}`,
    ...hunks,
  ];
}

/** A write that cannot be shown is told of: others are shown, and the attempt that made it goes on. */
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

/** What is enough to know an object that goes. */
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

/** A message may have been written by anybody, and a terminal obeys what it is sent. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
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
