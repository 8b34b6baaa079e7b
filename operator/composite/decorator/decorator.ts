import { applyWriter } from '../../controller/children/apply-writer.ts';
import type { Controller, ControllerOptions } from '../../controller/controller.ts';
import { requireFinalizerName } from '../../controller/finalizers/finalizer.ts';
import { requireFunction } from '../../controller/known-options.ts';
import { type Source, sourceOf } from '../../controller/source.ts';
import { ConfigurationError, OperatorError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { type DesiredChild, type ObservedChildren, observedChildren } from '../child.ts';
import { type ChildRule, childTypes } from '../child-types.ts';
import type { SyncContext } from '../composite.ts';
import type { ChildType, Related, RelatedRule } from '../engine-options.ts';
import { type RelatedReader, relatedReader } from '../related/read-related.ts';
import { relatedObjects } from '../related/related-objects.ts';
import {
  type ObjectSelection,
  type SelectedObjectsOptions,
  selectedObjects,
} from './decorated-source.ts';
import { decoratorEngine } from './decorator-engine.ts';
import type { DecoratorAnswer, DecoratorRequest } from './engine-options.ts';

/** What a decorator's functions may use besides their arguments. */
type DecoratorContext = SyncContext & {
  /** The objects that `customize` selects. */
  readonly related: RelatedReader;
};

/** The desired state that the function of a decorator returns. */
export interface DecoratorResult {
  /**
   * Every attachment that should exist, made with `child`. Existing attachments that are not in the list are deleted;
   * `[]` deletes all. An answer without this field is an error and changes nothing.
   */
  readonly attachments: readonly DesiredChild[];
  /** Labels to set. Null deletes a label; the others stay. */
  readonly labels?: Readonly<Record<string, string | null>>;
  /** Annotations to set. Null deletes an annotation; the others stay. */
  readonly annotations?: Readonly<Record<string, string | null>>;
  /** Replaces the whole status. Null or left out: the status stays as it is. Needs the option `status`. */
  readonly status?: Readonly<Record<string, unknown>> | null;
  /** Milliseconds after which the function is called again without a change. */
  readonly requeueAfterMs?: number;
}

type DecoratorFunction<T extends KubernetesObject, R> = (
  object: T,
  attachments: ObservedChildren,
  context: DecoratorContext,
) => R | Promise<R>;

/** The options of `decorator`: those of `controller`, except for those that `decorator` sets itself. */
interface DecoratorOptions<T extends KubernetesObject>
  extends Omit<
    ControllerOptions<T>,
    'for' | 'owns' | 'predicate' | 'reconcile' | 'finalizer' | 'consistency'
  > {
  /** The resource whose objects are decorated. */
  readonly objects: Resource<T>;
  /** The labels and annotations of decorated objects. Default: all objects are decorated. */
  readonly select?: ObjectSelection;
  /** Namespaces and other options of the source of `objects`. */
  readonly source?: SelectedObjectsOptions['source'];
  /** The resources of the attachments. Each is watched, and the controller may write and delete its objects. */
  readonly attachments: readonly (Resource | ChildRule)[];
  /**
   * Where the status is that the functions may return: in the subresource `status`, or in the object itself if its
   * resource has none. Default: they return none.
   */
  readonly status?: 'subresource' | 'object';
  /** Drop changes that leave generation, labels and annotations as they are. Default false. */
  readonly ignoreStatusChanges?: boolean;
  /** The resources of related objects. Each is watched. `customize` selects some of their objects. */
  readonly related?: readonly (Resource | Source)[];
  /** Selects the related objects of one decorated object, of resources in `related`. Pure. */
  readonly customize?: (object: T) => readonly RelatedRule[] | Promise<readonly RelatedRule[]>;
  /**
   * Object and observed attachments → labels, annotations, status and attachments. Pure: it reads its arguments, which
   * are frozen, and writes nothing. It is called again whenever one of them changes. When it throws, nothing changes
   * and it is called again with back-off.
   */
  readonly sync: DecoratorFunction<T, DecoratorResult>;
  /**
   * Like `sync`, for an object that is being deleted, or is no longer selected, until it answers `finalized: true`. If
   * it is set, decorated objects carry its finalizer.
   */
  readonly finalize?: {
    /** Qualified, `domain/name`. Do not change it once objects carry it. */
    readonly name: string;
    readonly sync: DecoratorFunction<T, DecoratorResult & { readonly finalized: boolean }>;
  };
}

/**
 * Declares a controller that adds to objects of others: labels, annotations, a status, and attachments, which are
 * objects that belong to them. It does in process what Metacontroller's DecoratorController does with webhooks.
 *
 * An attachment is controlled by the decorated object, and carries the name of its decorator. Nothing else is adopted,
 * changed or deleted; an object that has the name of an attachment is an error.
 *
 * @throws ConfigurationError `CONFIG` as `controller` does, and when `attachments` or a selector is unusable.
 */
export function decorator<T extends KubernetesObject>({
  objects,
  select = {},
  source,
  attachments,
  status,
  ignoreStatusChanges,
  related,
  customize,
  sync,
  finalize,
  ...options
}: DecoratorOptions<T>): Controller {
  const { name } = options;
  requireDecorator(name, attachments, sync);
  if (finalize !== undefined) requireFinalizerName(finalize.name);
  const finalizer = finalize && { name: finalize.name, isUsed: true };
  const selected = selectedObjects(objects as Resource, select, {
    finalizer: finalizer?.name,
    ...(source && { source }),
  });
  const ask = async ({ object, finalizing, ...given }: DecoratorRequest) => {
    const decide: DecoratorFunction<T, DecoratorResult & { readonly finalized?: boolean }> =
      finalizing && finalize !== undefined ? finalize.sync : sync;
    const { signal, log, store, attempt, clock } = given.context;
    const found = relatedReader(given.related, name);
    const answer = await decide(object as T, observedChildren(given.attachments, name), {
      ...{ signal, log, store, attempt, nowMs: clock.now(), related: found },
    });
    return answerOf(answer, status);
  };
  return decoratorEngine({
    name,
    decorator: name,
    objects: selected.source,
    selects: selected.selects,
    attachments: attachmentTypes(attachments, name),
    hasStatusSubresource: status === 'subresource',
    ...(ignoreStatusChanges !== undefined && { ignoreStatusChanges }),
    writer: applyWriter({ fieldManager: name }),
    ...(finalizer && { finalizer }),
    ...(customize && { related: relatedTo(customize, related ?? [], name) }),
    sync: ask,
    controller: options as Partial<ControllerOptions<KubernetesObject>>,
  });
}

/** The checks that the engine cannot make, for callers without types. */
function requireDecorator(name: string, attachments: unknown, sync: unknown): void {
  const example = 'sync: (object, attachments) => ({ attachments: [] })';
  requireFunction(`decorator ${name}`, 'sync', sync, example);
  if (Array.isArray(attachments)) return;
  throw new ConfigurationError(`attachments of decorator ${name} must be a list, as [services]`);
}

function attachmentTypes(
  rules: readonly (Resource | ChildRule)[],
  name: string,
): readonly ChildType[] {
  if (rules.length === 0) return []; // a decorator that only sets labels
  return childTypes(rules, name);
}

function relatedTo<T extends KubernetesObject>(
  customize: NonNullable<DecoratorOptions<T>['customize']>,
  related: readonly (Resource | Source)[],
  controller: string,
): Related {
  return relatedObjects({
    controller,
    rules: async (object) => customize(object as T),
    rulesKeptMs: 0, // a function of this process costs nothing
    sources: { declared: related.map((given) => sourceOf(given)) },
  });
}

function answerOf(
  answer: (DecoratorResult & { readonly finalized?: boolean }) | undefined,
  place: 'subresource' | 'object' | undefined,
): DecoratorAnswer {
  const { status, requeueAfterMs, finalized, ...rest } = answer ?? {};
  if (status !== undefined && status !== null && place === undefined) {
    throw new OperatorError('a decorator that returns a status needs the option "status"', {
      code: 'USER_CODE',
      layer: 'user-code',
    });
  }
  return {
    ...(rest as Pick<DecoratorAnswer, 'attachments' | 'labels' | 'annotations'>), // checked by the engine
    status,
    finalized,
    resyncAfterMs: requeueAfterMs,
  };
}
