import { createHash } from 'node:crypto';
import { objectKey, resourceName } from 'chancery';
import { targetOf } from './patch-document.ts';
import type { PreparedDocument } from './prepare-documents.ts';

/** Operations that fail or change something else when they are executed a second time. */
const ONCE: ReadonlySet<string> = new Set(['Create', 'CreateIfNotExists', 'JSONPatch']);

const DELETES: ReadonlySet<string> = new Set([
  'Delete',
  'DeleteInBackground',
  'DeleteNonCascading',
]);

/**
 * The documents that one task has applied, over all starts of its hook. When the hook is started
 * again and writes the same document, the document is not applied twice.
 */
export class AppliedDocuments {
  /**
   * How often each document was applied, keyed by object and then by document. A hook may write
   * several equal documents in one start.
   */
  readonly #applied = new Map<string, Map<string, number>>();
  /**
   * How often each document has occurred since the current start. Skipped documents are counted as
   * well.
   */
  #seen = new Map<string, number>();

  /** Records that the hook was started again. */
  nextStart(): void {
    this.#seen = new Map();
  }

  /**
   * True for a document that was already applied after an earlier start of the hook. If a hook
   * writes a document twice, and it was applied once, only one of the two is skipped.
   */
  isDone(document: PreparedDocument): boolean {
    if (!ONCE.has(document.action.operation)) return false;
    const text = digestOf(document);
    const before = this.#seen.get(text) ?? 0;
    if ((this.#applied.get(keyOf(document))?.get(text) ?? 0) <= before) return false;
    this.#seen.set(text, before + 1);
    return true;
  }

  /** Records that the document was applied. */
  add(document: PreparedDocument): void {
    const { operation } = document.action;
    // A deletion removes the effects of earlier documents on the object.
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

/** A digest of a document. Only digests are kept, because a document may be megabytes long. */
function digestOf({ text }: PreparedDocument): string {
  return createHash('sha256').update(text).digest('base64');
}
