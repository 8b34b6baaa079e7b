import { createHash } from 'node:crypto';
import { objectKey, resourceName } from 'chancery';
import { targetOf } from './patch-document.ts';
import type { PreparedDocument } from './prepare-documents.ts';

/** Operations that do something else, or fail, when they are carried out twice. */
const ONCE: ReadonlySet<string> = new Set(['Create', 'CreateIfNotExists', 'JSONPatch']);

const DELETES: ReadonlySet<string> = new Set([
  'Delete',
  'DeleteInBackground',
  'DeleteNonCascading',
]);

/**
 * The documents that one task has applied, over all starts of its hook, so that a hook that is started again and
 * writes the same document does not make it happen twice.
 */
export class AppliedDocuments {
  /** By object and then by document: how many equal documents of one start were applied. */
  readonly #applied = new Map<string, Map<string, number>>();
  /** The same of the start under way, with those that were skipped. */
  #seen = new Map<string, number>();

  /** The hook was started again. */
  nextStart(): void {
    this.#seen = new Map();
  }

  /** True for a document that an earlier start of the hook has applied, and then not for the next equal one. */
  isDone(document: PreparedDocument): boolean {
    if (!ONCE.has(document.action.operation)) return false;
    const text = digestOf(document);
    const before = this.#seen.get(text) ?? 0;
    if ((this.#applied.get(keyOf(document))?.get(text) ?? 0) <= before) return false;
    this.#seen.set(text, before + 1);
    return true;
  }

  /** The document was applied. */
  add(document: PreparedDocument): void {
    const { operation } = document.action;
    // The effects of earlier documents on the object are gone.
    if (DELETES.has(operation)) this.#applied.delete(keyOf(document));
    if (!ONCE.has(operation)) return;
    const text = digestOf(document);
    const count = (this.#seen.get(text) ?? 0) + 1;
    this.#seen.set(text, count);
    const ofObject = this.#applied.get(keyOf(document)) ?? new Map<string, number>();
    this.#applied.set(keyOf(document), ofObject.set(text, count));
  }
}

function keyOf({ resource, action }: PreparedDocument): string {
  const { namespace, name } = targetOf(action);
  return `${resourceName(resource)} ${objectKey(namespace, name)}`;
}

/** Only a digest is kept: a document may be megabytes long. */
function digestOf({ text }: PreparedDocument): string {
  return createHash('sha256').update(text).digest('base64');
}
