import {
  type Call,
  type Interceptor,
  isRead,
  type Next,
  type ReadCall,
} from '../../client/call.ts';
import { AmbassadorError, OperatorError } from '../../core/errors.ts';
import { boundedText, visibleText } from '../../core/text/visible-text.ts';
import { isNamespaceMissing, isUnserved } from '../../model/not-found.ts';
import {
  type KubernetesObject,
  type ObjectKey,
  objectKey,
  ownersIn,
  type Target,
} from '../../model/object.ts';
import { isApplyConflict, isUndeclaredField, refusalOf } from '../../model/refusal.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { ApiError } from '../../model/status.ts';
import type { Controller } from '../controller.ts';
import { isSameResource } from '../source.ts';
import { causesOf, type Failure, isLeadershipLost, isLostRace, remedyFor } from './failure.ts';

/** A child that is written. */
export interface WrittenChild {
  readonly resource: Resource;
  readonly namespace?: string | undefined;
  /** Omitted when the server generates the name. */
  readonly name?: string | undefined;
}

/** Maximum number of children that are reported per attempt. */
const MAX_CHILDREN = 10;

/** Maximum characters of a child's name and of an error in a note, which has at most 1,024 bytes. */
const [NAME_CHARS, MESSAGE_CHARS] = [300, 500];

/**
 * If the note of another Event contains this many characters from the beginning of a message, the message
 * counts as recorded.
 */
const BEGINNING_CHARS = 100;

interface FailureEvent {
  readonly reason: 'ReconcileFailed' | 'ChildRefused';
  readonly note: string;
}

/**
 * The children that one attempt could not write and whose writes will fail until a person or another program
 * changes something.
 */
export class RefusedChildren {
  /** The errors, by resource and key of the child. */
  readonly #errors = new Map<string, OperatorError>();
  /** Notes of the Warning Events that the reconciler recorded about its object. */
  readonly #warnings: string[] = [];

  /**
   * Runs `write` for a child. A success clears an earlier refusal of the child in this attempt. A failure
   * after `signal` has aborted is ignored, because nothing may be wrong with the child.
   */
  async observe<T>(child: WrittenChild, write: () => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      const answer = await write();
      if (this.#errors.size > 0) this.#errors.delete(nameOf(child));
      return answer;
    } catch (error) {
      if (!signal.aborted) this.failed(child, error);
      throw error;
    }
  }

  /** Remembers the error, unless a retry may succeed without a change. */
  failed(child: WrittenChild, error: unknown): void {
    if (!(error instanceof OperatorError) || passes(error)) return;
    if (this.#errors.size < MAX_CHILDREN) this.#errors.set(nameOf(child), error);
  }

  /**
   * Remembers the note of a Warning. The `SyncError` of composites and decorators is not remembered, because
   * it reports every failure.
   */
  warned(reason: string, note: string): void {
    if (reason === 'SyncError' || this.#warnings.length >= MAX_CHILDREN) return;
    this.#warnings.push(oneLine(note));
  }

  /**
   * One note for each refused child, if one of their errors is the failure of the attempt or its cause. The
   * result is empty when the reconciler has already recorded a Warning about the failure. There is no note
   * for a child whose error the reconciler has recorded.
   */
  notes(failure: Error): readonly string[] {
    if (this.#isTold(failure)) return [];
    const causes = causesOf(failure);
    const errors = new Map(this.#errors);
    // Before anything is sent, a composite or decorator refuses some children, or wraps the error of a child.
    const own = causes.find((each) => isOfChild(each));
    const known = [...errors.values()];
    if (own !== undefined && !known.includes(own)) errors.set(childIn(own), own);
    else if (!known.some((error) => causes.includes(error))) return [];
    return [...errors].filter(([, error]) => !this.#isTold(error)).map(noteOf);
  }

  /** The Warning Events that report a failed reconcile. There are none for a failure that is only logged. */
  events({ kind, error }: Pick<Failure, 'kind' | 'error'>): readonly FailureEvent[] {
    if (kind === 'conflict') return [];
    if (kind !== 'failed') return [{ reason: 'ReconcileFailed', note: error.message }];
    return this.notes(error).map((note) => ({ reason: 'ChildRefused', note }));
  }

  #isTold({ message }: Error): boolean {
    const beginning = oneLine(message).slice(0, BEGINNING_CHARS);
    return beginning !== '' && this.#warnings.some((note) => note.includes(beginning));
  }
}

type ChangingCall = Exclude<Call, ReadCall>;

/** The facts about an attempt by which its children are recognized. */
interface OwnerFacts {
  readonly key: ObjectKey;
  readonly object: KubernetesObject | undefined;
  readonly refusedChildren: RefusedChildren;
  /** Aborts with the attempt. */
  readonly signal: AbortSignal;
}

/**
 * `inner`, with a layer around it that reports to `refusedChildren` how each write or delete of a child ends.
 */
export function withRefusals(
  inner: Interceptor,
  controller: Pick<Controller, 'for' | 'owns'>,
  facts: OwnerFacts,
): Interceptor {
  const { refusedChildren, signal } = facts;
  return (next) => {
    const call = inner(next) as Next;
    return async (asked) => {
      if (isRead(asked) || asked.verb === 'evict' || asked.options.dryRun === true) {
        return call(asked);
      }
      const metadata = 'object' in asked ? asked.object.metadata : asked.target;
      if (!isChild(asked, metadata, controller, facts)) return call(asked);
      const child = { ...metadata, resource: asked.resource };
      return refusedChildren.observe(child, () => call(asked), signal);
    };
  };
}

/**
 * True for an object other than the reconciled one, if its resource is in the controller's `owns`, or if the
 * written owner references contain the reconciled object.
 */
function isChild(
  { resource, ...call }: ChangingCall,
  { namespace, name }: Target,
  { for: root, owns }: Pick<Controller, 'for' | 'owns'>,
  { key, object }: OwnerFacts,
): boolean {
  if (isSameResource(resource, root.resource) && objectKey(namespace, name) === key) return false;
  if (owns.some(({ source }) => isSameResource(source.resource, resource))) return true;
  const owners = 'object' in call ? ownersIn(call.object.metadata) : [];
  return owners.some(({ uid }) => uid === object?.metadata.uid);
}

function nameOf({ resource, namespace, name }: WrittenChild): string {
  return `${resourceName(resource)} ${objectKey(namespace, name || '(name generated by the server)')}`;
}

function noteOf([child, error]: readonly [string, OperatorError]): string {
  const remedy = remedyFor(error);
  const message = shown(error.message, MESSAGE_CHARS);
  const shownMessage = message.startsWith(child)
    ? message
    : `${shown(child, NAME_CHARS)} is refused: ${message}`;
  return remedy === undefined ? shownMessage : `${shownMessage}; ${remedy}`;
}

/** `text` on one line and safe for a terminal, because a webhook or a policy may have written some of it. */
function shown(text: string, maxChars: number): string {
  return boundedText(oneLine(text), maxChars);
}

function oneLine(text: string): string {
  return visibleText(text).replace(/\s+/g, ' ');
}

/** True for an error of the toolkit that is about one child. The context of the error says which child. */
function isOfChild(error: Error): error is OperatorError {
  if (!(error instanceof OperatorError) || error.layer !== 'user-code') return false;
  return error.context.resource !== undefined && keyIn(error) !== undefined;
}

function childIn(error: OperatorError): string {
  return `${error.context.resource} ${keyIn(error)}`;
}

function keyIn({ context: { namespace, name, child, object } }: OperatorError): unknown {
  return namespace !== undefined && name !== undefined
    ? `${namespace}/${name}`
    : (name ?? child ?? object);
}

/** True for a failure that may not occur in a later attempt, even if nothing changes. */
function passes(error: OperatorError): boolean {
  if (isLostRace(error) || isLeadershipLost(error)) return true;
  if (refusalOf(error) !== undefined || isUndeclaredField(error)) return false;
  if (error instanceof AmbassadorError) return error.code !== 'AMBASSADOR_FORBIDDEN';
  if (!(error instanceof ApiError)) return !['user-code', 'configuration'].includes(error.layer);
  if (isApplyConflict(error) || isNamespaceMissing(error) || isUnserved(error)) return false;
  return !NEVER_ACCEPTED.has(error.status);
}

/** HTTP status codes for requests that the API server never accepts, whatever the state of the cluster is. */
const NEVER_ACCEPTED: ReadonlySet<number> = new Set([400, 405, 413, 415]);
