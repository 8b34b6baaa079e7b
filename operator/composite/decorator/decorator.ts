import { applyWriter } from '../../controller/children/apply-writer.ts';
import type { Controller, ControllerOptions } from '../../controller/controller.ts';
import { requireFinalizerName } from '../../controller/finalizers/finalizer.ts';
import { requireFunction } from '../../controller/known-options.ts';
import type { Source } from '../../controller/source.ts';
import { OperatorError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { DesiredChild } from '../child.ts';
import { type ChildRule, childTypes } from '../child-types.ts';
import { asking, customizing, requireList, type SyncFunction } from '../composite.ts';
import { engine } from '../engine.ts';
import type { RelatedRule } from '../related/compiled-rule.ts';
import {
  type ObjectSelection,
  type SelectedObjectsOptions,
  selectedObjects,
} from './decorated-source.ts';

/** The desired state that the function of a decorator returns. */
export interface DecoratorResult {
  /**
   * Every attachment that should exist, created with `child`. Existing attachments that are not in the list
   * are deleted; `[]` deletes all. An answer without this field is an error and changes nothing.
   */
  readonly attachments: readonly DesiredChild[];
  /** Labels to set. Null deletes a label; all other labels stay. */
  readonly labels?: Readonly<Record<string, string | null>>;
  /** Annotations to set. Null deletes an annotation; all other annotations stay. */
  readonly annotations?: Readonly<Record<string, string | null>>;
  /**
   * Replaces the whole status. If null or omitted, the status stays as it is. Requires the option `status`.
   */
  readonly status?: Readonly<Record<string, unknown>> | null;
  /** Milliseconds after which the function is called again without a change. */
  readonly requeueAfterMs?: number;
}

/** The options of `decorator`: the options of `controller`, except those that `decorator` sets itself. */
interface DecoratorOptions<T extends KubernetesObject>
  extends Omit<
    ControllerOptions<T>,
    'for' | 'owns' | 'predicate' | 'reconcile' | 'gone' | 'finalizer' | 'consistency'
  > {
  /** The resource whose objects are decorated. */
  readonly objects: Resource<T>;
  /** Selects the decorated objects by labels and annotations. Default: all objects are decorated. */
  readonly select?: ObjectSelection;
  /** Namespaces and other options of the source of `objects`. */
  readonly source?: SelectedObjectsOptions['source'];
  /**
   * The resources of the attachments. Each is watched, and the controller may write and delete its objects.
   */
  readonly attachments: readonly (Resource | ChildRule)[];
  /**
   * Where a status that the functions return is written: to the subresource `status`, or to the object itself
   * if its resource has no such subresource. Default: the functions must not return a status.
   */
  readonly status?: 'subresource' | 'object';
  /** True: drops changes that leave generation, labels and annotations unchanged. Default false. */
  readonly ignoreStatusChanges?: boolean;
  /** The resources of related objects. Each is watched. `customize` selects some of their objects. */
  readonly related?: readonly (Resource | Source)[];
  /**
   * Selects the related objects of one decorated object from the resources in `related`. It must be
   * pure.
   */
  readonly customize?: (object: T) => readonly RelatedRule[] | Promise<readonly RelatedRule[]>;
  /**
   * Returns the labels, annotations, status and attachments for an object and its observed attachments. It
   * must be pure: it reads its arguments, which are frozen, and writes nothing. It is called again whenever
   * one of them changes. If it throws, nothing changes and it is called again with back-off.
   */
  readonly sync: SyncFunction<T, DecoratorResult>;
  /**
   * Like `sync`, for an object that is being deleted or is no longer selected. It is called until it returns
   * `finalized: true`, and also while another finalizer keeps a deleted object. If it is set, decorated
   * objects get its finalizer.
   */
  readonly finalize?: {
    /** A qualified name, `domain/name`. Do not change it once objects have the finalizer. */
    readonly name: string;
    readonly sync: SyncFunction<T, DecoratorResult & { readonly finalized: boolean }>;
  };
}

/**
 * Declares a controller that adds to objects of other writers: labels, annotations, a status, and
 * attachments, which are additional objects. It does inside the process what Metacontroller's
 * DecoratorController does with webhooks.
 *
 * The controller of an attachment is the decorated object, and an annotation of the attachment contains the
 * name of its decorator. No other object is adopted, changed or deleted. If another object has the name of an
 * attachment, that is an error.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `controller`, and when `attachments` or a selector
 *   is invalid.
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
  const example = 'sync: (object, attachments) => ({ attachments: [] })';
  requireFunction(`decorator ${name}`, 'sync', sync, example);
  requireList(`attachments of decorator ${name}`, attachments);
  if (finalize !== undefined) requireFinalizerName(finalize.name);
  const finalizer = finalize && { name: finalize.name, isUsed: true };
  const selected = selectedObjects(objects as Resource, select, {
    finalizer: finalizer?.name,
    ...(source && { source }),
  });
  const ask = asking<T, DecoratorResult>(name, 'attachments', sync, finalize);
  return engine({
    name,
    decorator: name,
    parent: selected.source,
    selects: selected.selects,
    children: childTypes(attachments),
    hasStatusSubresource: status === 'subresource',
    ignoreStatusChanges,
    writer: applyWriter({ fieldManager: name }),
    finalizer,
    related: customizing(customize, related, name),
    failures: { condition: false, once: true },
    async sync(request) {
      const answer = await ask(request);
      if (status !== undefined || (answer.status ?? null) === null) return answer;
      throw new OperatorError('a decorator that returns a status needs the option "status"', {
        code: 'USER_CODE',
        layer: 'user-code',
      });
    },
    controller: options as Partial<ControllerOptions<KubernetesObject>>,
  });
}
