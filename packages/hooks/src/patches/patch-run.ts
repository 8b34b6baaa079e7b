import {
  AmbassadorError,
  ApiError,
  isAlreadyExists,
  LeadershipLostError,
  messageOf,
} from 'chancery';
import { AppliedDocuments } from './applied-documents.ts';
import { type ApplyParts, applyDocument } from './apply-document.ts';
import { mayPass } from './passing-failure.ts';
import { titleOf } from './patch-document.ts';
import type { PreparedDocument } from './prepare-documents.ts';

/**
 * Number of consecutive refusals of one document after which the hook is started again. The hook
 * may have been repaired, and its snapshots are newer.
 */
const MAX_REFUSALS = 5;

/** A document that could not be applied. */
export interface FailedDocument {
  readonly number: number;
  /**
   * The message, such as `document 3 of 5 (MergePatch of ConfigMap farm/north): 409 Conflict: …`.
   * It contains no value of an object.
   */
  readonly message: string;
  readonly cause: unknown;
}

/** Applies the documents of one task in the order of the file, over all attempts of the task. */
export class PatchRun {
  readonly #parts: ApplyParts;
  readonly #fieldManager: string;
  readonly #applied = new AppliedDocuments();
  #documents: readonly PreparedDocument[] = [];
  /** Index of the next document. */
  #next = 0;
  /** How many times in a row this document was refused with an error that a retry may overcome. */
  #refusals = 0;
  /** True when it is unknown whether an attempt to apply this document has succeeded. */
  #isUnsure = false;
  #failed: FailedDocument[] = [];

  constructor(parts: ApplyParts, fieldManager: string) {
    this.#parts = parts;
    this.#fieldManager = fieldManager;
  }

  /**
   * Called when the hook was started again and has written new documents. They replace the
   * remaining documents of earlier starts.
   */
  begin(documents: readonly PreparedDocument[]): void {
    this.#documents = documents;
    this.#next = 0;
    this.#refusals = 0;
    this.#isUnsure = false;
    this.#failed = [];
    this.#applied.nextStart();
  }

  /** True when documents wait for the next attempt. */
  get isUnderWay(): boolean {
    return this.#next < this.#documents.length;
  }

  /**
   * Applies the remaining documents. A failure after which a retry may succeed ends the attempt,
   * and the next attempt continues with the same document. After any other failure the later
   * documents are applied as well.
   *
   * @returns the documents that could not be applied; empty after a success.
   * @throws `signal.reason` when aborted; LeadershipLostError when this process no longer leads.
   */
  async attempt(signal: AbortSignal): Promise<readonly FailedDocument[]> {
    for (; this.isUnderWay; this.#next += 1) {
      const document = this.#documents[this.#next];
      if (document === undefined) break;
      const failure = await this.#apply(document, signal);
      if (failure !== undefined) {
        const failed = this.#described(document, failure.error);
        if (failure.passes) return [...this.#failed, failed];
        this.#failed.push(failed);
      }
      this.#refusals = 0;
      this.#isUnsure = false;
    }
    return this.#failed;
  }

  async #apply(
    document: PreparedDocument,
    signal: AbortSignal,
  ): Promise<{ readonly error: unknown; readonly passes: boolean } | undefined> {
    signal.throwIfAborted();
    if (this.#applied.isDone(document)) return undefined;
    try {
      await applyDocument(document, this.#parts, this.#fieldManager, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof LeadershipLostError) throw error;
      const isOwn = this.#isUnsure && document.action.operation === 'Create';
      if (!(isOwn && isAlreadyExists(error)))
        return { error, passes: this.#passes(error, document) };
    }
    this.#applied.add(document);
    return undefined;
  }

  #passes(error: unknown, { action }: PreparedDocument): boolean {
    if (!mayPass(error, action)) return false;
    const wasSent = !(error instanceof AmbassadorError && error.fate === 'not-sent');
    const isAnswered = error instanceof ApiError;
    if (wasSent && !(isAnswered && error.status < 500)) this.#isUnsure = true;
    if (!isAnswered) return true;
    this.#refusals += 1;
    if (this.#refusals < MAX_REFUSALS) return true;
    // Without remaining documents, the next attempt starts the hook.
    this.#next = this.#documents.length;
    return true;
  }

  #described(document: PreparedDocument, cause: unknown): FailedDocument {
    const { number, action } = document;
    const place = `document ${number} of ${this.#documents.length}`;
    return { number, message: `${place} (${titleOf(action)}): ${messageOf(cause)}`, cause };
  }
}
