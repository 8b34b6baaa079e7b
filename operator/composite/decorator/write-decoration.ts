import { patchThis } from '../../controller/children/guarded-writes.ts';
import type { HotLoops } from '../../controller/children/hot-loops.ts';
import { memberOf, mergePatchOf } from '../../controller/children/json-difference.ts';
import { StatusReplacer, withoutNulls } from '../../controller/children/replace-status.ts';
import { UndeclaredStatusError } from '../../controller/errors.ts';
import { conditionsOf, statusOf } from '../../controller/object-shape/condition-list.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import type { Mapping } from '../../core/mapping.ts';
import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { DecoratorEngineOptions, SyncAnswer } from '../engine-options.ts';
import { failureType, withFailure, withoutFailure } from '../failures.ts';

type Options = Pick<
  DecoratorEngineOptions,
  'parent' | 'hasStatusSubresource' | 'decorator' | 'failures' | 'statusFields'
>;

/** What to write to a decorated object. */
export interface Decoration {
  readonly answer: SyncAnswer;
  /** The finalizer to remove; undefined to remove none. */
  readonly removed: string | undefined;
  /** Digest of the inputs of the function. The object itself is excluded. */
  readonly inputs: () => string;
}

/**
 * The name of the object in the detection of write loops. It differs from the names of attachments, which are
 * JSON.
 */
const nameOf = ({ metadata: { uid = '' } }: KubernetesObject): string => `the object ${uid}`;

/**
 * Writes a function's answer to decorated objects. Each write contains the resourceVersion that the function
 * has read.
 */
export class DecorationWriter {
  readonly #options: Options;
  readonly #hotLoops: HotLoops;
  readonly #statuses = new StatusReplacer({ maxTries: 1 });

  constructor(options: Options, hotLoops: HotLoops) {
    this.#options = options;
    this.#hotLoops = hotLoops;
  }

  /**
   * Writes the status, then labels and annotations, and removes the finalizer.
   *
   * @returns false when the object is gone.
   * @throws ApiError for which `isConflict` is true when the object has changed since it was read.
   * @throws HotLoopError when the answers of the function alternate.
   */
  async write(
    object: KubernetesObject,
    decoration: Decoration,
    context: ReconcileContext,
  ): Promise<boolean> {
    const { answer, removed } = decoration;
    const status = this.#wantedStatus(object, answer.status);
    const isStatusDue = status !== undefined && this.#statuses.differs(object, status);
    const texts = {
      ...changes('labels', object, answer),
      ...changes('annotations', object, answer),
    };
    const isAnswerDue = isStatusDue || Object.keys(texts).length > 0;
    const { labels, annotations } = answer;
    const metadata = { ...(labels && { labels }), ...(annotations && { annotations }) };
    const stated = { metadata, ...(status && { status }) };
    const nowMs = context.clock.monotonic();
    const next = { stated, observed: object, inputs: decoration.inputs, nowMs };
    if (isAnswerDue) this.#hotLoops.requireProgress(nameOf(object), next);
    try {
      const due = isStatusDue ? status : undefined;
      const changed = { ...texts, ...without(object, removed) };
      const written = await this.#send(object, changed, due, context);
      if (isAnswerDue && written) this.#hotLoops.wrote(nameOf(object), next, written);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /**
   * Reports a failure as a condition. If the object has changed since it was read, the next attempt reports
   * the failure.
   */
  async failed(object: KubernetesObject, error: unknown, context: ReconcileContext): Promise<void> {
    const { statusFields: fields, decorator } = this.#options;
    const stamp = { fields, nowMs: context.clock.now(), type: failureType(decorator) };
    const status = withFailure(statusOf(object), object, error, stamp);
    if (this.#statuses.differs(object, status)) await this.#send(object, {}, status, context);
  }

  /** The status to write; undefined when the status stays as it is. */
  #wantedStatus(object: KubernetesObject, status: SyncAnswer['status']): Mapping | undefined {
    const { decorator, failures } = this.#options;
    if (failures?.condition !== true) return status ?? undefined;
    const wanted = status ?? statusOf(object);
    const others = withoutFailure(wanted, failureType(decorator));
    const isCopied = conditionsOf(others).length < conditionsOf(wanted).length;
    return isCopied ? others : wanted;
  }

  /** The object after the last write; undefined if nothing was written. */
  async #send(
    object: KubernetesObject,
    metadata: object,
    status: Mapping | undefined,
    context: ReconcileContext,
  ): Promise<KubernetesObject | undefined> {
    const { client } = context;
    const { parent, hasStatusSubresource } = this.#options;
    const { resource } = parent;
    let written: KubernetesObject | undefined;
    if (status !== undefined && hasStatusSubresource) {
      const outcome = await this.#statuses.replace(client, resource, object, status);
      ({ written } = outcome);
      if (outcome.missing.length > 0) {
        const { message } = new UndeclaredStatusError(resource, outcome.missing);
        context.log.warn(
          { fields: outcome.missing },
          'the server does not store all of the status',
        );
        context.event('Warning', 'SyncError', message);
      }
    }
    const withObject =
      status === undefined || hasStatusSubresource
        ? undefined
        : mergePatchOf(withoutNulls(statusOf(object)), withoutNulls(status));
    if (Object.keys(metadata).length > 0 || withObject !== undefined) {
      const change = { metadata, ...(withObject && { status: withObject }) };
      written = await patchThis(client, resource, written ?? object, change);
    }
    return written;
  }
}

/** The changed labels or annotations, as metadata. Empty when none has changed. */
function changes(
  part: 'labels' | 'annotations',
  { metadata }: KubernetesObject,
  answer: SyncAnswer,
): object {
  const known = metadata[part] ?? {};
  const changed = Object.entries(answer[part] ?? {}).filter(
    ([key, text]) => (memberOf(known, key) ?? null) !== text,
  );
  return changed.length === 0 ? {} : { [part]: Object.fromEntries(changed) };
}

/** The finalizers without `removed`; empty when the object does not have it. */
function without(
  { metadata: { finalizers = [] } }: KubernetesObject,
  removed: string | undefined,
): { readonly finalizers?: readonly string[] } {
  if (removed === undefined || !finalizers.includes(removed)) return {};
  return { finalizers: finalizers.filter((name) => name !== removed) };
}
